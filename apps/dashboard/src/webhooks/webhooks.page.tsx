import type { WebhookEndpoint } from '@pets/contracts';
import { Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Page } from '../parts/page.js';
import { Paged } from '../parts/paged.js';
import { TextLink } from '../parts/text-link.js';
import { strings } from '../strings.js';
import { CreateEndpoint } from './create-endpoint.js';
import { EndpointMenu } from './endpoint-menu.js';
import { endpointsQuery } from './webhooks.queries.js';

const words = strings.webhooks;

/** Who is told of what happens. */
export default function WebhooksPage() {
  const endpoints = useInfiniteQuery(endpointsQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <Page title={words.title} actions={<Button onClick={() => setCreating(true)}>{words.create}</Button>}>
      <Paged query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <Text>{words.empty}</Text>
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
              {enabled ? words.enabled : words.disabled}
            </Badge>
          </Group>
          <EndpointMenu endpoint={endpoint} />
        </Group>
        {description !== null && <Text>{description}</Text>}
        {disabledReason !== null && <Text size="sm">{words.reasons[disabledReason]}</Text>}
        <FieldList
          fields={[
            [words.eventTypes, eventTypes.join(', ')],
            [strings.projects.created, <Instant at={createdAt} />],
          ]}
        />
      </Stack>
    </Card>
  );
}
