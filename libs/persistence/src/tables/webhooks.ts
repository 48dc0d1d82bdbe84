import type {
  WebhookDeliveryState,
  WebhookDisabledReason,
  WebhookEventType,
  WebhookMessageType,
} from '@pets/contracts';
import type { Generated, GeneratedAlways } from 'kysely';
import type { CreatedAt, Timestamp } from './column-types.js';

export interface WebhookEndpointTable {
  id: Generated<string>;
  /** Ascends in order of creation. */
  number: GeneratedAlways<bigint>;
  organization_id: string;
  /** Null: it gets events of the complete organization. */
  project_id: string | null;
  url: string;
  description: string | null;
  event_types: readonly WebhookEventType[];
  enabled: Generated<boolean>;
  disabled_reason: WebhookDisabledReason | null;
  disabled_at: Timestamp | null;
  /** Time since which every delivery has failed. */
  failing_since: Timestamp | null;
  /** Attempts without an answer in time since the last delivery, as far as they are counted. */
  timeouts: Generated<number>;
  /** Time since which it gets no new events, because the organization has used its storage. */
  paused_at: Timestamp | null;
  created_at: CreatedAt;
}

/** An open stream that receives events. Its secret is derived, and stored nowhere. */
export interface WebhookListenerTable {
  id: Generated<string>;
  number: GeneratedAlways<bigint>;
  organization_id: string;
  project_id: string | null;
  event_types: readonly WebhookEventType[];
  created_at: CreatedAt;
  /** Set forward by the server that has the stream. */
  expires_at: Timestamp;
}

/** Enabled endpoints that are not paused, and open streams: all that receive events now. */
export type WebhookSubscriptionView = Pick<
  WebhookListenerTable,
  'id' | 'number' | 'organization_id' | 'project_id' | 'event_types'
>;

/** Signing secrets of an endpoint: the current one, and for a chosen time its predecessor. */
export interface WebhookSecretTable {
  id: Generated<string>;
  endpoint_id: string;
  sealed: string;
  created_at: CreatedAt;
  /** Null for the current one. */
  expires_at: Timestamp | null;
}

/** An event for one endpoint or listener. The row is schedule entry and outbox, as in `domain_work`. */
export interface WebhookDeliveryTable {
  id: Generated<string>;
  /** Ascends in the order of the events. */
  number: GeneratedAlways<bigint>;
  endpoint_id: string;
  type: WebhookMessageType;
  subject_id: string;
  sequence: number;
  body: string;
  state: Generated<WebhookDeliveryState>;
  created_at: CreatedAt;
  /** During an attempt, the end of its lease. Null once it is delivered or failed. */
  due_at: Timestamp | null;
  lease_until: Timestamp | null;
  attempt: Generated<number>;
  /** Failed attempts since it was recorded or replayed. */
  failures: Generated<number>;
  delivered_at: Timestamp | null;
}

/** An attempt that a worker has, from its dispatch to its result or the end of its lease. */
export interface WebhookSlotTable {
  delivery_id: string;
  attempt: number;
  organization_id: string;
  endpoint_id: string;
  /** The origin of the URL. */
  receiver: string;
  /** Whether it has a slot of the lane for endpoints that time out. */
  is_slow: boolean;
  lease_until: Timestamp;
}

export interface WebhookAttemptTable {
  delivery_id: string;
  number: number;
  at: Timestamp;
  status: number | null;
  duration_ms: number;
  error: string | null;
  body_start: string | null;
  /** Null where the request could not be signed. */
  request_headers: Readonly<Record<string, string>> | null;
  /** Bounded, without credentials; null without a response. */
  response_headers: Readonly<Record<string, string>> | null;
}

/** Results of the attempts of one hour. */
export interface WebhookStatisticsTable {
  endpoint_id: string;
  hour: Timestamp;
  /** Attempts that delivered. */
  delivered: number;
  /** Attempts that failed, the last ones included. */
  failed_attempts: number;
  /** Deliveries that failed for good. */
  failed: number;
  /** Attempts by the time they took: a histogram with fixed buckets. */
  durations: readonly number[];
}
