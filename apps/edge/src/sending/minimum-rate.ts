/**
 * How slow a client may be. A reply is written in slices, and a write that completes is progress: the client, or its
 * kernel, has taken the slice. Whatever else it sends (PING, WINDOW_UPDATE, SETTINGS) is none.
 */

/** Of a reply, at a time: the least that a client has to take within the time below. */
export const SLICE_BYTES = 16 * 1024;
const SLICE_LIMIT_MS = 10_000;

/** As a rate: 1.6 KiB/s. */
const LEAST_BYTES_PER_MS = SLICE_BYTES / SLICE_LIMIT_MS;

/** Clients open a window when half of it is used up, so that slices complete in lumps: what came early may be late later. */
const MOST_CREDIT_MS = SLICE_LIMIT_MS;

/** How much is sent at a time to a client with such credit: as much as it has the time for. */
export function nextSliceBytes(creditMs: number): number {
  return creditMs < MOST_CREDIT_MS ? SLICE_BYTES : 2 * SLICE_BYTES;
}

/** Below, samples say little: a packet more or less. */
const SHORTEST_SPAN_MS = 4_000;
/** What is on its way at any moment, answers to PING and the like; a full buffer has more. */
const NEXT_TO_NOTHING_BYTES = 4 * 1024;

/** The send queue of a connection in the kernel, at a moment. */
export interface LinkSample {
  readonly atMs: number;
  /** Given to the kernel since the connection began. */
  readonly writtenBytes: number;
  /** Of these, what the client has not acknowledged. */
  readonly queuedBytes: number;
}

/**
 * - `draining`: the network is what a write waits for, and the client takes at least the minimum from it. The kernel asks
 *   for more only when a third of its buffer is free, which takes a slow client minutes.
 * - `stuck`: the network is what it waits for, and the client takes less.
 * - `idle`: the kernel has next to nothing to send, so the client has not opened its HTTP/2 window.
 * - `unknown`: nobody can tell.
 */
export type Link = 'draining' | 'stuck' | 'idle' | 'unknown';

/** What two samples of a connection say; undefined where the kernel does not tell. */
export function linkBetween(earlier: LinkSample | undefined, later: LinkSample | undefined): Link {
  if (earlier === undefined || later === undefined) return 'unknown';
  const spanMs = later.atMs - earlier.atMs;
  if (spanMs < SHORTEST_SPAN_MS) return 'unknown';
  if (later.queuedBytes < NEXT_TO_NOTHING_BYTES) return 'idle';
  const drained = later.writtenBytes - earlier.writtenBytes - (later.queuedBytes - earlier.queuedBytes);
  return drained >= LEAST_BYTES_PER_MS * spanMs ? 'draining' : 'stuck';
}

export interface WriteInProgress {
  readonly bytes: number;
  readonly ageMs: number;
  readonly creditMs: number;
  readonly link: Link;
}

/** Whether a client has let a write wait for too long. */
export function isStalled({ bytes, ageMs, creditMs, link }: WriteInProgress): boolean {
  switch (link) {
    case 'draining':
      return false;
    case 'stuck':
    case 'idle':
      return ageMs >= SLICE_LIMIT_MS + creditMs;
    case 'unknown':
      return ageMs >= Math.max(SLICE_LIMIT_MS + creditMs, (bytes / SLICE_BYTES) * SLICE_LIMIT_MS);
  }
}

/** What a reply's next slice may take longer, after one that took so long. */
export function creditAfter(creditMs: number, bytes: number, tookMs: number): number {
  const earned = creditMs + bytes / LEAST_BYTES_PER_MS - tookMs;
  return Math.min(MOST_CREDIT_MS, Math.max(0, earned));
}
