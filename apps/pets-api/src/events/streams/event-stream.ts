import { Readable } from 'node:stream';
import type { Scope } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { HistoryLine } from '../../names/domain-history.repository.js';
import type { ChangedResource } from './project-changes.repository.js';

/**
 * Server-sent events on the wire (WHATWG HTML §9.2.5). A message with an id is a line of the history; a client that sends
 * that id as `Last-Event-ID` receives the lines after it. A message without an id is a hint.
 */

/** A client that lost its stream reconnects after this time and a random delay of its own. */
const RETRY_MS = 1_000;

/** The first message of a set-up link, whose reader sees no history and cannot resume. */
export const ANONYMOUS_READY = `retry: ${RETRY_MS}\nevent: ready\ndata: {}\n\n`;

/** One of the domains of a set-up link has changed. */
export const ANONYMOUS_CHANGE = 'event: changed\ndata: {}\n\n';

/** A comment that shows both ends that a quiet stream is alive. */
const HEARTBEAT = ':\n\n';

/**
 * The line of the history after which a reader wants to continue; null for new events only.
 * @throws RequestError `invalid_parameter` for a value that is no event id
 */
export function parseLastEventId(header: string | undefined): bigint | null {
  if (header === undefined) return null;
  if (!/^(?:0|[1-9]\d{0,17})$/.test(header))
    throw RequestError.ofField('invalid_parameter', 'Last-Event-ID', 'must be the id of an event, or 0 for all events');
  return BigInt(header);
}

/** The first message: a client that receives nothing else can resume from its id. */
export function readyMessage(after: bigint): string {
  return `retry: ${RETRY_MS}\nid: ${after}\nevent: ready\ndata: ${JSON.stringify({ number: Number(after) })}\n\n`;
}

export function historyMessage({ id, entry }: HistoryLine): string {
  return `id: ${id}\nevent: history\ndata: ${JSON.stringify(entry)}\n\n`;
}

/** A domain changed without a line in its history, an import advanced, or something happened to an origin. */
export function changedMessage({ kind, id }: Pick<ChangedResource, 'kind' | 'id'>): string {
  const [event, field] = hints[kind];
  return `event: ${event}\ndata: ${JSON.stringify({ [field]: id })}\n\n`;
}

/** Name and field of the message about each kind. */
const hints = {
  domain: ['changed', 'domainId'],
  import: ['import', 'importId'],
  origin: ['origin', 'originId'],
} as const satisfies Record<ChangedResource['kind'], readonly [string, string]>;

/** Limit of the data that waits for a slow reader, in addition to the buffer of its socket. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Above this, `whenNearlyDrained` waits. */
const NEARLY_DRAINED_BYTES = 64 * 1024;
/** A reader with data waiting has to read some of it within this time. */
const MAX_STALL_MS = 30_000;
/** Proxies close idle connections after 30 s or more. */
const HEARTBEAT_MS = 15_000;

/** The access that opened a stream: the stream ends with any of these. */
export interface StreamRights {
  /** The API key, with its session; null for a set-up link. */
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  readonly setupLinkId?: string;
  readonly organizationId: string;
  /** Scope of the operation: another role can take it from a person. */
  readonly scope: Scope;
  /** Null: the events are of the complete organization. */
  readonly projectId: string | null;
}

/** The access to the events of a project. */
export interface ProjectRights extends StreamRights {
  readonly projectId: string;
  /** Domains of which the reader learns only that one has changed; absent for a member, who reads all events. */
  readonly domainIds?: ReadonlySet<string>;
}

/**
 * One open stream. Writers never wait for it: a reader that does not keep up is dropped, and reconnects with the id of the
 * last event that it received.
 */
export class EventStream<Rights extends StreamRights = StreamRights> {
  readonly readable: Readable;
  #last: bigint;
  #writtenBytes = 0;
  #readBytes = 0;
  #readAtMs: number;
  #wroteAtMs: number;
  #onRead: (() => void) | null = null;
  #hasEnded = false;

  /**
   * @param last the number of the last line of history that the reader has
   * @param nowMs monotonic
   */
  constructor(
    readonly rights: Rights,
    last: bigint,
    nowMs: number,
  ) {
    this.#last = last;
    this.#readAtMs = this.#wroteAtMs = nowMs;
    this.readable = new Readable({ read: () => this.#resume() });
    this.readable.once('close', () => this.#resume());
  }

  /** The number of the last line of history that was written or skipped. */
  get lastNumber(): bigint {
    return this.#last;
  }

  get isClosed(): boolean {
    return this.#hasEnded || this.readable.destroyed;
  }

  /** Writes a line of the history, unless it or a later one was written. */
  sendLine(number: bigint, message: Buffer, nowMs: number): void {
    if (number <= this.#last) return;
    this.#last = number;
    this.write(message, nowMs);
  }

  /** Notes that there are no lines up to a number that it has not received: the others were deleted. */
  skipTo(number: bigint): void {
    if (number > this.#last) this.#last = number;
  }

  write(message: Buffer, nowMs: number): void {
    if (this.isClosed) return;
    if (this.readable.readableLength + message.length > MAX_UNSENT_BYTES) return this.drop();
    this.#writtenBytes += message.length;
    this.#wroteAtMs = nowMs;
    this.readable.push(message);
  }

  /** Writes a heartbeat to a quiet stream, and drops a stream whose reader stalls. */
  keepAlive(nowMs: number): void {
    const read = this.#writtenBytes - this.readable.readableLength;
    if (read !== this.#readBytes || this.readable.readableLength === 0) this.#readAtMs = nowMs;
    this.#readBytes = read;
    if (nowMs - this.#readAtMs >= MAX_STALL_MS) this.drop();
    else if (nowMs - this.#wroteAtMs >= HEARTBEAT_MS) this.write(heartbeat, nowMs);
  }

  /** Whether there is room for more. */
  get isNearlyDrained(): boolean {
    return this.readable.readableLength <= NEARLY_DRAINED_BYTES;
  }

  /** Resolves when little data is left to read, or the stream is closed. `keepAlive` limits how long that takes. */
  async whenNearlyDrained(): Promise<void> {
    while (!this.isClosed && !this.isNearlyDrained) await new Promise<void>((resolve) => (this.#onRead = resolve));
  }

  /** Ends the stream after the data that was written. */
  end(): void {
    if (this.isClosed) return;
    this.#hasEnded = true;
    this.readable.push(null);
  }

  /** Closes the connection; unsent data is lost. */
  drop(): void {
    this.readable.destroy();
  }

  #resume(): void {
    this.#onRead?.();
    this.#onRead = null;
  }
}

const heartbeat = Buffer.from(HEARTBEAT);
