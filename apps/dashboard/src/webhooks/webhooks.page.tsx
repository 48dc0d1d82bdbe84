import { webhookEventTypes, type WebhookEndpoint } from '@pets/contracts';
import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../components/error.js';
import { OrderSelect, type CreationOrder } from '../components/filters.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { Page, TextLink } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { useMay, useOrganization } from '../session/caller.js';
import { strings } from '../strings.js';
import { CreateEndpoint } from './create-endpoint.js';
import { endpointActions, EndpointMenu, EndpointState } from './endpoint.js';
import { webhookStrings } from './webhook-strings.js';
import { endpointsQuery } from './webhooks.queries.js';

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
