import { webhookDeliveryStates, type WebhookDelivery, type WebhookDeliveryState } from '@pets/contracts';
import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionButton } from '../components/action-button.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { StatusFilter } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { EmptyState, StatusPill } from '../components/notice.js';
import { FieldList, Page, TextLink } from '../components/page.js';
import { Countdown, Instant } from '../components/time.js';
import { formatDuration } from '../format.js';
import { webhookStrings } from './webhook-strings.js';
import { deliveriesQuery, endpointQuery, invalidateDeliveries } from './webhooks.queries.js';

/** The deliveries of one endpoint. Project events do not cover deliveries, so the user refreshes the list. */
export default function DeliveriesPage({ endpointId }: { readonly endpointId: string }) {
  const [state, setState] = useState<WebhookDeliveryState | null>(null);
  const endpoint = useQuery(endpointQuery(endpointId));
  const deliveries = useInfiniteQuery(deliveriesQuery(endpointId, state));
  const replay = useReplay(endpointId);
  return (
    <Page
      title={webhookStrings.deliveries}
      above={
        <Text c="dimmed" className="page-title">
          <TextLink to="/webhooks">{webhookStrings.title}</TextLink> {endpoint.data?.url}
        </Text>
      }
      actions={
        <ActionButton variant="default" isBusy={deliveries.isRefetching} onClick={() => void deliveries.refetch()}>
          {webhookStrings.refresh}
        </ActionButton>
      }
      below={<ActionError error={replay.error} />}
    >
      <StatusFilter
        label={webhookStrings.state}
        statuses={webhookDeliveryStates}
        labels={webhookStrings.states}
        value={state}
        onChange={setState}
      />
      <Paged query={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={webhookStrings.noDeliveries} />
          ) : (
            <ul className="plain-list">
              {list.map((delivery) => (
                <DeliveryCard
                  key={delivery.id}
                  delivery={delivery}
                  isBusy={replay.isPending}
                  onReplay={() => replay.mutate(delivery)}
                />
              ))}
            </ul>
          )
        }
      </Paged>
    </Page>
  );
}

const colors = { pending: 'progress', delivered: 'good', failed: 'critical' } as const satisfies Record<
  WebhookDeliveryState,
  string
>;

interface DeliveryCardProps {
  readonly delivery: WebhookDelivery;
  readonly isBusy: boolean;
  readonly onReplay: () => void;
}

function DeliveryCard({ delivery, isBusy, onReplay }: DeliveryCardProps) {
  const { id, type, state, createdAt, nextAttemptAt } = delivery;
  return (
    <li className="card">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="sm">
            <Text component="h2" fw={600}>
              {type}
            </Text>
            <StatusPill tone={colors[state]}>{webhookStrings.states[state]}</StatusPill>
          </Group>
          {state !== 'pending' && (
            <ActionButton variant="default" size="xs" isBusy={isBusy} onClick={onReplay}>
              {webhookStrings.replay}
            </ActionButton>
          )}
        </Group>
        <FieldList
          fields={[
            [webhookStrings.happened, <Instant at={createdAt} />],
            [webhookStrings.nextAttempt, nextAttemptAt === null ? null : <Countdown until={nextAttemptAt} />],
            [webhookStrings.id, <span className="value">{id}</span>],
          ]}
        />
        <Attempts delivery={delivery} />
      </Stack>
    </li>
  );
}

function Attempts({ delivery: { attempts } }: { readonly delivery: WebhookDelivery }) {
  if (attempts.length === 0) return null;
  return (
    <details>
      <summary>{webhookStrings.attempts(attempts.length)}</summary>
      <ol className="plain-list">
        {attempts.map(({ number, at, status, error, durationMs, bodyStart }) => (
          <li key={number} value={number}>
            <Text size="sm">
              <Instant at={at} />: {webhookStrings.attempt(status, error)} ({formatDuration(durationMs)})
            </Text>
            {bodyStart !== null && bodyStart !== '' && <Text className="value">{bodyStart}</Text>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function useReplay(endpointId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: WebhookDelivery) => {
      const path = { endpointId, deliveryId: id };
      return dataOf(
        api().POST('/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/replay', { params: { path } }),
      );
    },
    onSuccess: async () => {
      announce(webhookStrings.replayed);
      await invalidateDeliveries(queryClient, endpointId);
    },
  });
}
