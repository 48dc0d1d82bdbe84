import type { MetricValues } from '@pets/platform';
import type { PublishedChange, PublishedTable } from '../feed/serving-processes.js';

/**
 * Messages between the feed process and a serving process over the IPC channel of `child_process.fork`, as JSON. Both
 * are of the same build, so the messages are not checked. The channel keeps their order.
 */

/** From the feed process. The serving process obeys in order and answers each one. */
export type FeedMessage =
  | { readonly kind: 'table'; readonly table: PublishedTable }
  | { readonly kind: 'change'; readonly change: PublishedChange }
  /** JSON has no undefined, so null ends the lease. */
  | { readonly kind: 'lease'; readonly contactAtMs: number | null }
  /** Accepts connections from now on. */
  | { readonly kind: 'listen' }
  /** Ends its connections as `ServingSide.drain` says, and exits instead of an answer. */
  | { readonly kind: 'drain'; readonly keepAliveMs: number }
  | { readonly kind: 'metrics' }
  /** Only the answer matters. */
  | { readonly kind: 'ping' };

export interface NumberedMessage {
  readonly number: number;
  readonly message: FeedMessage;
}

/** From a serving process. */
export type ServingMessage =
  /** The process has loaded its program, receives messages and serves nothing yet. */
  | { readonly kind: 'started' }
  | { readonly kind: 'done'; readonly number: number; readonly metrics?: MetricValues }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'handshake'; readonly host: string }
  | { readonly kind: 'origin'; readonly id: string; readonly isFailing: boolean };
