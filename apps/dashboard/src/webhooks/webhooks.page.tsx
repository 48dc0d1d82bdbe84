import { webhookEventTypes, type WebhookEndpoint } from '@pets/contracts';
import { Badge, Button, Card, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { NewSecret } from '../components/copy.js';
import { ActionForm, Dialog } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { FieldList, Page, TextLink } from '../components/page.js';
import { Instant } from '../components/time.js';
import { strings } from '../strings.js';
import { EndpointMenu } from './endpoint-menu.js';
import { webhookStrings } from './webhook-strings.js';
import { endpointsQuery } from './webhooks.queries.js';

export default function WebhooksPage() {
  const endpoints = useInfiniteQuery(endpointsQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={webhookStrings.title}
      actions={<Button onClick={() => setCreating(true)}>{webhookStrings.create}</Button>}
    >
      <Paged query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <Text>{webhookStrings.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((endpoint) => (
                <EndpointCard key={endpoint.id} endpoint={endpoint} />
              ))}
            </ul>
          )
        }
      </Paged>
      <CreateEndpoint opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function EndpointCard({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { id, url, description, eventTypes, enabled, disabledReason, createdAt } = endpoint;
  return (
    <Card component="li" withBorder>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="start">
          <Group gap="sm">
            <Text component="h2" fw={600} className="page-title">
              <TextLink to={`/webhooks/${id}`}>{url}</TextLink>
            </Text>
            <Badge variant="light" color={enabled ? 'green' : 'gray'} tt="none">
              {enabled ? webhookStrings.enabled : webhookStrings.disabled}
            </Badge>
          </Group>
          <EndpointMenu endpoint={endpoint} />
        </Group>
        {description !== null && <Text>{description}</Text>}
        {disabledReason !== null && <Text size="sm">{webhookStrings.reasons[disabledReason]}</Text>}
        <FieldList
          fields={[
            [webhookStrings.eventTypes, eventTypes.join(', ')],
            [strings.projects.created, <Instant at={createdAt} />],
          ]}
        />
      </Stack>
    </Card>
  );
}

interface CreateEndpointProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function CreateEndpoint({ opened, onClose }: CreateEndpointProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={webhookStrings.create} closeOnClickOutside={false}>
      <CreateEndpointForm onClose={onClose} />
    </Dialog>
  );
}

function CreateEndpointForm({ onClose }: Pick<CreateEndpointProps, 'onClose'>) {
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
    onSuccess: () => queryClient.invalidateQueries(endpointsQuery),
  });
  if (create.data !== undefined)
    return <NewSecret what={webhookStrings.secret} secret={create.data.secret} onClose={onClose} />;
  const submit = () => {
    setValidationError(chosen.length === 0 ? webhookStrings.needsType : null);
    if (chosen.length > 0) create.mutate();
  };
  return (
    <ActionForm label={webhookStrings.create} action={create} onSubmit={submit}>
      <TextInput
        label={webhookStrings.url}
        description={webhookStrings.urlHint}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label={webhookStrings.description}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={255}
      />
      <Checkbox.Group
        label={webhookStrings.eventTypes}
        value={[...chosen]}
        onChange={setChosen}
        error={validationError}
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
