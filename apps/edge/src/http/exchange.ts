import { randomBytes } from 'node:crypto';
import type { Protocol } from '../metrics/edge-metrics.js';
import { nextSliceBytes, SLICE_BYTES } from '../sending/minimum-rate.js';
import type { SendingReply } from '../sending/pending-writes.js';
import { ReplyWrites } from '../sending/reply-writes.js';
import type { Connection } from '../tls/connection.js';
import { BodySlices, type SliceSource } from './plan-reply.js';

export type Headers = Readonly<Record<string, string>>;

/** Names and values alternately, the form that Node copies with the least work. */
export type HeaderList = readonly string[];

/** The request headers that the edge supports, besides the host. */
export type SupportedHeader =
  | 'accept'
  | 'accept-encoding'
  | 'cookie'
  | 'if-match'
  | 'if-modified-since'
  | 'if-none-match'
  | 'if-range'
  | 'range'
  | 'user-agent';

/** Receives the end of a response, which reports whether it was complete. One for all requests: no closure for each. */
export type FinishListener = (exchange: Exchange, isComplete: boolean) => void;

/** The headers of a response that is sent again and again. */
export interface StoredHeaders {
  readonly headers: HeaderList;
  /** The headers and some more, which are always the same. */
  headersWith(more: HeaderList): HeaderList;
}

/** The beginning of a body. */
export interface FirstSlice {
  readonly slice: Buffer;
  readonly isLast: boolean;
  readonly stored?: StoredHeaders | undefined;
}

export const NO_BODY = Buffer.alloc(0);

/**
 * A request and the way to respond to it, for every protocol. A short response leaves in one piece: head and body are written
 * in the same tick, so that they share a TLS record. A longer one leaves in slices, each when the client has taken the one
 * before, so that a slow client has at most one slice in memory.
 */
export abstract class Exchange implements SendingReply {
  abstract readonly protocol: Protocol;
  abstract readonly method: string;
  /** Request target as received. */
  abstract readonly target: string;
  /** Each Host header or `:authority`. */
  abstract readonly hosts: readonly string[];
  /** Whether the request announces a body, which is read only where it is forwarded. */
  abstract readonly announcesBody: boolean;
  /** Whether the client can receive nothing more. */
  abstract readonly isClosed: boolean;
  readonly connection: Connection;
  /** When its answer was begun. */
  startedAtMs = 0;
  /** The writes of its reply, counted as those of all replies. */
  readonly writes: ReplyWrites;
  /** Called once when the client can receive nothing more, before the end is reported. */
  onClosed: (() => void) | undefined;
  #status = 0;
  #bytes = 0;
  #extraHeaders: Headers | undefined;
  #isPrivate = false;
  #requestId: string | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
    this.writes = new ReplyWrites(connection, this);
  }

  abstract header(name: SupportedHeader): string | undefined;

  /** Ignores what follows this request on its connection. */
  abstract endConnection(): void;

  /** Ends without a response, or in the middle of one: the client sees that bytes are missing. */
  abstract abort(): void;

  /** Ends without a response, so that the client may repeat the request. */
  abstract refuse(): void;

  /**
   * Calls the listener once, when the response has ended. Must be called in the tick in which the request arrived, after a
   * response that is sent at once.
   */
  abstract onFinished(listener: FinishListener): void;

  /** Writes the head and the first slice, then reports to `settleWrite`. */
  protected abstract writeFirst(status: number, headers: HeaderList, first: FirstSlice): void;

  /** Writes another slice, then reports to `settleWrite`. */
  protected abstract writeNext(slice: Buffer, isLast: boolean): void;

  /** Ends a response whose client takes too little of it. */
  abstract abortStalled(): void;

  /** Identifies the request in the access log and on the edge's own pages. */
  get requestId(): string {
    return (this.#requestId ??= nextRequestId());
  }

  /** 0 until a response has started. */
  get status(): number {
    return this.#status;
  }

  /** Length of the response's body, as announced to the client. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Headers of any response of this request. */
  get extraHeaders(): Headers | undefined {
    return this.#extraHeaders;
  }

  /** Records a response that is not sent by `send` or `stream`. @param bytes of the body, so far */
  recordResponse(status: number, bytes: number): void {
    this.#status = status;
    this.#bytes = bytes;
  }

  /** Adds headers to any response of this request, before its own. */
  addHeaders(headers: Headers): void {
    this.#extraHeaders = { ...this.#extraHeaders, ...headers };
  }

  /** Keeps any response of this request from caches and from other origins, whatever its own headers say. */
  makePrivate(): void {
    this.#isPrivate = true;
    this.addHeaders({});
  }

  /** Sends a response that is in memory. HEAD gets the headers of GET, including the length of the body. */
  send(status: number, headers: Headers | HeaderList, body: Buffer, stored?: StoredHeaders): void {
    const sent = this.method === 'HEAD' ? NO_BODY : body;
    if (sent.length > SLICE_BYTES) {
      this.stream(status, headers, new BodySlices(sent), sent.length).catch(() => this.abort());
      return;
    }
    if (!this.writes.beginReplyWrite(sent.length)) {
      this.refuse();
      return;
    }
    this.#writeFirst(status, headers, { slice: sent, isLast: true, stored });
    this.#status = status;
    this.#bytes = sent.length;
  }

  /**
   * Sends slices as fast as the client takes them.
   * @param bytes the length of the body, as the headers announce it
   * @throws Error when either side ends the response early, or the source does not have exactly this many bytes: the client
   * would wait for the rest of a body that is too short
   */
  async stream(status: number, headers: Headers | HeaderList, source: SliceSource, bytes: number): Promise<void> {
    this.#status = status;
    this.#bytes = bytes;
    for (let left = bytes; left > 0;) {
      const slice = await source.next(nextSliceBytes(this.writes.creditMs));
      assertLength(slice, left, bytes);
      if (this.isClosed) throw new Error('the client closed the connection');
      const isFirst = left === bytes;
      left -= slice.length;
      if (!this.writes.beginReplyWrite(slice.length, source.heldBytes)) {
        if (isFirst) return this.refuse();
        throw new Error('no memory for the next slice');
      }
      const settled = this.writes.untilSettled();
      if (isFirst) this.#writeFirst(status, headers, { slice, isLast: left === 0 });
      else this.writeNext(slice, left === 0);
      await settled;
    }
  }

  /**
   * Reports that the client has taken the last write or, with an error, never will. Only the first report counts.
   * @returns whether this is the first one
   */
  protected settleWrite(error?: Error | null): boolean {
    return this.writes.settle(error ?? undefined);
  }

  /**
   * Reports the end to `onClosed`, once. Node keeps parts of a request for a while, and with them what they lead to: with a link
   * to the forwarded request, collecting garbage took three times as long.
   */
  protected reportClosed(): void {
    const { onClosed } = this;
    this.onClosed = undefined;
    onClosed?.();
  }

  #writeFirst(status: number, headers: Headers | HeaderList, first: FirstSlice): void {
    try {
      this.writeFirst(status, this.#withExtraHeaders(listOf(headers)), first);
    } catch (error) {
      this.writes.cancel(); // nothing was written, so another response may still be sent
      throw error;
    }
  }

  #withExtraHeaders(list: HeaderList): HeaderList {
    if (this.#extraHeaders === undefined) return list;
    const all = [...listOf(this.#extraHeaders), ...list];
    return this.#isPrivate ? withPrivateFields(all) : all;
  }
}

export function listOf(headers: Headers | HeaderList): HeaderList {
  return isList(headers) ? headers : Object.entries(headers).flat();
}

function isList(headers: Headers | HeaderList): headers is HeaderList {
  return Array.isArray(headers);
}

function assertLength(slice: Buffer | undefined, left: number, bytes: number): asserts slice is Buffer {
  if (slice === undefined || slice.length > left)
    throw new Error(`the stored file does not have the expected ${bytes} bytes`);
}

/** Different in each process, so that ids of two edges, or of one edge before and after a restart, differ. */
const processId = randomBytes(6).toString('base64url');
let requestCount = 0;

/** Length of the count in an id: fixed, so that a page has the same length for GET and HEAD. */
const COUNT_LENGTH = 8;

/** A unique id that costs less than random bytes for each request. */
function nextRequestId(): string {
  requestCount += 1;
  return `${processId}-${requestCount.toString(36).padStart(COUNT_LENGTH, '0')}`;
}

/**
 * The header fields of a response that only some visitors may get: no cache keeps it, and no other origin reads or embeds it, not
 * even another site of the same platform domain, whose pages send the cookie along. What the site itself sets for other origins
 * stays, but for the permission to all.
 * @param list names in lower case and values, alternately
 */
export function withPrivateFields(list: readonly string[]): string[] {
  const fields: string[] = [];
  let vary = 'cookie';
  let resourcePolicy = 'same-origin';
  for (let at = 0; at + 1 < list.length; at += 2) {
    const [name = '', value = ''] = [list[at], list[at + 1]];
    if (name === 'vary') vary = `${value}, cookie`;
    else if (name === 'cross-origin-resource-policy') resourcePolicy = value;
    else if (name === 'cache-control' || (name === 'access-control-allow-origin' && value === '*')) continue;
    else fields.push(name, value);
  }
  return fields.concat(
    ...['cache-control', 'private, no-store'],
    ...['vary', vary],
    ...['cross-origin-resource-policy', resourcePolicy],
  );
}
