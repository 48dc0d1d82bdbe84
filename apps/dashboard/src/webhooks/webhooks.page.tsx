import { Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type WebhookEndpoint, webhookEventTypes } from '@pets/contracts';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionError } from '../components/error.js';
import { type CreationOrder, OrderSelect } from '../components/filters.js';
import { ActionForm } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { Page, TextLink } from '../components/page.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { useMay, useOrganization } from '../session/caller.js';
import { strings } from '../strings.js';
import { endpointActions, EndpointMenu, EndpointState } from './endpoint.js';
import { webhookStrings } from './webhook-strings.js';
import { endpointsQuery, invalidateEndpoints } from './webhooks.queries.js';

export default function WebhooksPage() {
  const [enabled, setEnabled] = useState<boolean | null>(null);
  const [order, setOrder] = useState<CreationOrder>('createdAt');
  const endpoints = useInfiniteQuery(endpointsQuery(enabled, order));
  const organization = useOrganization();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const create = may('createWebhookEndpoint') && (
    <Button onClick={() => setCreating(true)}>{webhookStrings.create}</Button>
  );
  return (
    <Page
      title={webhookStrings.title}
      status={
        organization.data && (
          <span className="muted">
            {strings.usage(organization.data.usage.webhookEndpoints, organization.data.limits.webhookEndpoints)}
          </span>
        )
      }
      actions={
        <>
          <TextLink to="/webhook-events">{webhookStrings.catalog}</TextLink>
          {create}
        </>
      }
      below={<ActionError error={error} />}
    >
      <div className="toolbar">
        <NativeSelect
          label={webhookStrings.state}
          value={String(enabled ?? '')}
          onChange={({ currentTarget: { value } }) => setEnabled(value === '' ? null : value === 'true')}
          data={[
            { value: '', label: strings.all },
            { value: 'true', label: webhookStrings.enabled },
            { value: 'false', label: webhookStrings.disabled },
          ]}
        />
        <OrderSelect value={order} onChange={setOrder} />
      </div>
      <Paged query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              title={webhookStrings.emptyTitle}
              text={enabled === null ? webhookStrings.empty : webhookStrings.noneOfState}
            >
              {enabled === null && create}
            </EmptyState>
          ) : (
            <EndpointTable endpoints={list} onError={setError} />
          )
        }
      </Paged>
      <CreateEndpoint opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

interface EndpointTableProps {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly onError: (error: Error | null) => void;
}

function EndpointTable({ endpoints, onError }: EndpointTableProps) {
  const may = useMay();
  return (
    <div className="card" data-flush>
      <DataTable
        label={webhookStrings.title}
        rows={endpoints}
        keyOf={({ id }) => id}
        columns={[
          {
            header: webhookStrings.url,
            kind: 'title',
            cell: ({ id, url, description }) => (
              <>
                <TextLink to={`/webhooks/${id}`}>{url}</TextLink>
                {description !== null && <small>{description}</small>}
              </>
            ),
          },
          { header: webhookStrings.state, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
          { header: webhookStrings.eventTypes, cell: eventsOf },
          { header: strings.projects.created, kind: 'tight', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          {
            header: webhookStrings.actions,
            kind: 'menu',
            isShown: may(...endpointActions),
            cell: (endpoint) => <EndpointMenu endpoint={endpoint} onError={onError} />,
          },
        ]}
      />
    </div>
  );
}

/** A row has one line: all types, or the first one and how many more. */
function eventsOf({ eventTypes }: WebhookEndpoint): string {
  const [first, ...others] = eventTypes;
  if (first === undefined || eventTypes.length === webhookEventTypes.length) return webhookStrings.allEvents;
  return others.length === 0 ? first : webhookStrings.moreEvents(first, others.length);
}

interface CreateEndpointProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates an endpoint. While its secret is shown, only its button closes the dialog. */
function CreateEndpoint(props: CreateEndpointProps) {
  return (
    <SecretDialog
      {...props}
      title={webhookStrings.create}
      what={webhookStrings.secret}
      confirm={webhookStrings.saved}
      form={(onCreated) => <CreateEndpointForm onCreated={onCreated} />}
    />
  );
}

function CreateEndpointForm({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const queryClient = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([...webhookEventTypes]);
  const [validationError, setValidationError] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/webhook-endpoints', {
          body: {
            url,
            description: description === '' ? null : description,
            eventTypes: webhookEventTypes.filter((type) => chosen.includes(type)),
            projectId: null,
          },
        }),
      ),
    onSuccess: async ({ secret }) => {
      onCreated(secret);
      await invalidateEndpoints(queryClient);
    },
  });
  const submit = () => {
    setValidationError(chosen.length === 0 ? webhookStrings.needsType : null);
    if (chosen.length > 0) create.mutate();
  };
  const { texts, isAtField } = fieldErrorsOf(create.error, ['url', 'description', 'eventTypes']);
  return (
    <ActionForm label={webhookStrings.create} action={create} onSubmit={submit} isErrorAtField={isAtField}>
      <TextInput
        label={webhookStrings.url}
        description={webhookStrings.urlHint}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={texts.url}
        required
        data-autofocus
      />
      <TextInput
        label={webhookStrings.description}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={255}
        error={texts.description}
      />
      <Checkbox.Group
        label={webhookStrings.eventTypes}
        value={[...chosen]}
        onChange={setChosen}
        error={validationError ?? texts.eventTypes}
      >
        <Stack gap="xs" mt="xs">
          {webhookEventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </Stack>
      </Checkbox.Group>
    </ActionForm>
  );
}
