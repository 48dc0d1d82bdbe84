/**
 * How slow a client may be. A reply is written in slices, and a completed write is progress: the client, or its kernel, has
 * taken the slice. Other frames (PING, WINDOW_UPDATE, SETTINGS) are not progress.
 */

/** The size of a slice; a client must take at least this much of a reply within the time limit below. */
export const SLICE_BYTES = 16 * 1024;
const SLICE_LIMIT_MS = 10_000;

/** Minimum rate of a client: 1.6 KiB/s. */
const MIN_BYTES_PER_MS = SLICE_BYTES / SLICE_LIMIT_MS;

/** Clients open a window when half of it is used up, so slices complete in bursts: an early slice earns time for later ones. */
const MAX_CREDIT_MS = SLICE_LIMIT_MS;

/** The size of the next slice: as much as the client has time for. */
export function nextSliceBytes(creditMs: number): number {
  return creditMs < MAX_CREDIT_MS ? SLICE_BYTES : 2 * SLICE_BYTES;
}

/** Over a shorter time a single packet would change the result. */
const MIN_SPAN_MS = 4_000;
/** Data that is in transit at any time, such as answers to PING; a full buffer has more. */
const MAX_IDLE_QUEUE_BYTES = 4 * 1024;

/** The state of a connection's send queue in the kernel. */
export interface SendQueueSample {
  readonly atMs: number;
  /** Passed to the kernel since the connection was opened. */
  readonly writtenBytes: number;
  /** The part of these that the client has not acknowledged. */
  readonly queuedBytes: number;
}

/**
 * - `draining`: a write waits for the network, and the client takes at least the minimum. The kernel accepts more data only
 *   when a third of its buffer is free, which takes minutes for a slow client.
 * - `stuck`: a write waits for the network, and the client takes less.
 * - `idle`: the kernel has almost nothing to send, so the client has not opened its HTTP/2 window.
 * - `unknown`: there is no information.
 */
export type SendQueueState = 'draining' | 'stuck' | 'idle' | 'unknown';

/** Compares two samples of a connection; undefined when the kernel has no information. */
export function compareSamples(
  earlier: SendQueueSample | undefined,
  later: SendQueueSample | undefined,
): SendQueueState {
  if (earlier === undefined || later === undefined) return 'unknown';
  const spanMs = later.atMs - earlier.atMs;
  if (spanMs < MIN_SPAN_MS) return 'unknown';
  if (later.queuedBytes < MAX_IDLE_QUEUE_BYTES) return 'idle';
  const drained = later.writtenBytes - earlier.writtenBytes - (later.queuedBytes - earlier.queuedBytes);
  return drained >= MIN_BYTES_PER_MS * spanMs ? 'draining' : 'stuck';
}

export interface WriteInProgress {
  readonly bytes: number;
  readonly ageMs: number;
  readonly creditMs: number;
  readonly sendQueue: SendQueueState;
}

/** Whether a write has waited for the client for too long. */
export function isStalled({ bytes, ageMs, creditMs, sendQueue }: WriteInProgress): boolean {
  switch (sendQueue) {
    case 'draining':
      return false;
    case 'stuck':
    case 'idle':
      return ageMs >= SLICE_LIMIT_MS + creditMs;
    case 'unknown':
      return ageMs >= Math.max(SLICE_LIMIT_MS + creditMs, (bytes / SLICE_BYTES) * SLICE_LIMIT_MS);
  }
}

/** How much longer the next slice of a reply may take, after one that took `tookMs`. */
export function creditAfter(creditMs: number, bytes: number, tookMs: number): number {
  const earned = creditMs + bytes / MIN_BYTES_PER_MS - tookMs;
  return Math.min(MAX_CREDIT_MS, Math.max(0, earned));
}
