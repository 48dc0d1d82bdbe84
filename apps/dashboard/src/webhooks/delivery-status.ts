import type { WebhookDelivery } from '@pets/contracts';
import type { Tone } from '../components/notice.js';
import { webhookStrings } from './webhook-strings.js';

type DeliveryFacts = Pick<WebhookDelivery, 'state' | 'failures' | 'maxAttempts' | 'nextAttemptAt'>;

export interface DeliveryStatus {
  readonly tone: Tone;
  readonly text: string;
}

/** What became of a delivery, in words. A pending one without a next attempt is being sent. */
export function deriveDeliveryStatus(delivery: DeliveryFacts): DeliveryStatus {
  const { state, failures, maxAttempts, nextAttemptAt } = delivery;
  if (state === 'delivered') return { tone: 'good', text: webhookStrings.states.delivered };
  if (state === 'failed') return { tone: 'critical', text: webhookStrings.states.failed };
  if (nextAttemptAt === null) return { tone: 'progress', text: webhookStrings.sending };
  // The first attempt is no retry.
  if (failures > 0) return { tone: 'warning', text: webhookStrings.retrying(failures, maxAttempts - 1) };
  return { tone: 'progress', text: webhookStrings.states.pending };
}
