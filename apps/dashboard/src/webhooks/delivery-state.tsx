import type { WebhookDelivery } from '@pets/contracts';
import type { Tone } from '@pets/domain-setup';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { StatusPill } from '../components/notice.js';
import { Countdown } from '../components/time.js';
import { webhookStrings } from './webhook-strings.js';
import { invalidateDeliveries } from './webhooks.queries.js';

/** The status of a delivery: "Retrying (2 of 9)", "next in 4:00". */
export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { tone, text } = deriveDeliveryStatus(delivery);
  const { nextAttemptAt } = delivery;
  return (
    <span>
      <StatusPill tone={tone}>{text}</StatusPill>
      {nextAttemptAt !== null && (
        <span className="muted next-attempt">
          {webhookStrings.next} <Countdown until={nextAttemptAt} />
        </span>
      )}
    </span>
  );
}

/** Sends a delivery again now, with all retries. */
export function useReplay(endpointId: string) {
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

/** A pending delivery is retried, an ended one sent again. One that is being sent has no action. */
export function replayLabelOf({ state, nextAttemptAt }: WebhookDelivery): string | null {
  if (state !== 'pending') return webhookStrings.replay;
  return nextAttemptAt === null ? null : webhookStrings.retryNow;
}

type DeliveryFacts = Pick<WebhookDelivery, 'state' | 'failures' | 'maxAttempts' | 'nextAttemptAt'>;

interface DeliveryStatus {
  readonly tone: Tone;
  readonly text: string;
}

/** Describes the state of a delivery. A pending one without a next attempt is being sent. */
export function deriveDeliveryStatus(delivery: DeliveryFacts): DeliveryStatus {
  const { state, failures, maxAttempts, nextAttemptAt } = delivery;
  if (state === 'delivered') return { tone: 'good', text: webhookStrings.states.delivered };
  if (state === 'failed') return { tone: 'critical', text: webhookStrings.states.failed };
  if (nextAttemptAt === null) return { tone: 'progress', text: webhookStrings.sending };
  // The first attempt is no retry.
  if (failures > 0) return { tone: 'warning', text: webhookStrings.retrying(failures, maxAttempts - 1) };
  return { tone: 'progress', text: webhookStrings.states.pending };
}
