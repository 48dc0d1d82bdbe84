import { webhookDeliveryStates, type WebhookDelivery, type WebhookDeliveryState } from '@pets/contracts';
import { Badge, Button, Card, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../api/api.js';
import { formatDuration } from '../format.js';
import { announce } from '../parts/announcer.js';
import { Countdown } from '../parts/countdown.js';
import { Failure } from '../parts/failure.js';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Page } from '../parts/page.js';
import { Paged } from '../parts/paged.js';
import { TextLink } from '../parts/text-link.js';
import { strings } from '../strings.js';
import { deliveriesQuery, endpointQuery } from './webhooks.queries.js';

const words = strings.webhooks;

/** What was and will be sent to one endpoint. No event tells of deliveries, so one refreshes the list oneself. */
export default function DeliveriesPage({ endpointId }: { readonly endpointId: string }) {
  const [chosen, setChosen] = useState('');
  const endpoint = useQuery(endpointQuery(endpointId));
  const deliveries = useInfiniteQuery(
    deliveriesQuery(endpointId, webhookDeliveryStates.find((each) => each === chosen) ?? null),
  );
  return (
    <Page
      title={words.deliveries}
      above={
        <Text c="dimmed" className="page-title">
          <TextLink to="/webhooks">{words.title}</TextLink> {endpoint.data?.url}
        </Text>
      }
      actions={
        <Button variant="default" loading={deliveries.isRefetching} onClick={() => void deliveries.refetch()}>
          {words.refresh}
        </Button>
      }
    >
      <NativeSelect
        label={words.state}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[
          { value: '', label: strings.animals.all },
          ...webhookDeliveryStates.map((each) => ({ value: each, label: words.states[each] })),
        ]}
        maw="14rem"
      />
      <Paged query={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <Text>{words.noDeliveries}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((delivery) => (
                <DeliveryCard key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )
        }
      </Paged>
    </Page>
  );
}

const colors = { pending: 'blue', delivered: 'green', failed: 'red' } as const satisfies Record<
  WebhookDeliveryState,
  string
>;

function DeliveryCard({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { id, type, state, createdAt, nextAttemptAt } = delivery;
  return (
    <Card component="li" withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="sm">
            <Text component="h2" fw={600}>
              {type}
            </Text>
            <Badge variant="light" color={colors[state]} tt="none">
              {words.states[state]}
            </Badge>
          </Group>
          {state !== 'pending' && <Replay delivery={delivery} />}
        </Group>
        <FieldList
          fields={[
            [words.happened, <Instant at={createdAt} />],
            [words.nextAttempt, nextAttemptAt === null ? null : <Countdown until={nextAttemptAt} />],
            [words.id, <span className="value">{id}</span>],
          ]}
        />
        <Attempts delivery={delivery} />
      </Stack>
    </Card>
  );
}

function Attempts({ delivery: { attempts } }: { readonly delivery: WebhookDelivery }) {
  if (attempts.length === 0) return null;
  return (
    <details>
      <summary>{words.attempts(attempts.length)}</summary>
      <ol className="plain-list">
        {attempts.map(({ number, at, status, error, durationMs, bodyStart }) => (
          <li key={number} value={number}>
            <Text size="sm">
              <Instant at={at} />: {words.attempt(status, error)} ({formatDuration(durationMs)})
            </Text>
            {bodyStart !== null && bodyStart !== '' && <Text className="value">{bodyStart}</Text>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Replay({ delivery: { id, endpointId } }: { readonly delivery: WebhookDelivery }) {
  const queryClient = useQueryClient();
  const path = { endpointId, deliveryId: id };
  const replay = useMutation({
    mutationFn: () =>
      bodyOf(api().POST('/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/replay', { params: { path } })),
    onSuccess: async () => {
      announce(words.replayed);
      await queryClient.invalidateQueries({ queryKey: ['webhooks', endpointId, 'deliveries'] });
    },
  });
  return (
    <div>
      <Button variant="default" size="xs" loading={replay.isPending} onClick={() => replay.mutate()}>
        {words.replay}
      </Button>
      {replay.error !== null && <Failure error={replay.error} />}
    </div>
  );
}
