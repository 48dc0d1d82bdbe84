import { exponentialDelayMs, pause } from '@pets/async';
import { authorizationOf } from './client.js';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';
import { parseExactly } from './exact-json.js';
import type { components } from './schema.js';

/** An event of a project. */
export type ProjectEvent =
  /** The stream is open and continues after this line of the history. Earlier `changed` events may have been missed. */
  | { readonly type: 'ready'; readonly number: number | bigint }
  /** A line of the history; `id` is for `lastEventId`. */
  | { readonly type: 'history'; readonly id: string; readonly entry: components['schemas']['DomainHistoryEntry'] }
  /** A domain has changed without a line in its history: read it again. */
  | { readonly type: 'changed'; readonly domainId: string }
  /** An import of domains has changed: read it again. */
  | { readonly type: 'import'; readonly importId: string };

export interface ProjectEventsOptions {
  /** The URL of the API: `https://api.pets.example`. */
  readonly baseUrl: string;
  /** An API key, or the key of a session; null if `fetch` authenticates requests, as with a cookie. */
  readonly apiKey: string | null;
  readonly projectId: string;
  /** Continue after this event; `0` for the complete history. The default is to start now. */
  readonly lastEventId?: string;
  /** Ends the stream. Only a refusal ends it otherwise. */
  readonly signal?: AbortSignal;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The API refuses the stream permanently: the key is not valid, or the project does not exist. */
export class ProjectEventsRefused extends Error {
  override readonly name = 'ProjectEventsRefused';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The `code` of the error, if there is one. */
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** Until the stream names another time. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Three heartbeats: a connection without data for so long is dead. */
const MAX_SILENCE_MS = 45_000;

/**
 * Streams the events of a project. A stream that ends or breaks is opened again after the last received event, with an
 * increasing delay. Each line of the history is received once and in order, and `ready` with every connection.
 * @throws ProjectEventsRefused
 * @example
 * for await (const event of readProjectEvents({ baseUrl, apiKey, projectId, signal }))
 *   if (event.type === 'history') console.log(event.entry.detail);
 */
export async function* readProjectEvents(options: ProjectEventsOptions): AsyncGenerator<ProjectEvent, void, void> {
  const { signal } = options;
  let lastEventId = options.lastEventId;
  let retryMs = RETRY_MS;
  let failures = 0;
  while (signal?.aborted !== true) {
    let retryAfterMs = 0;
    const connection = new Connection(options, lastEventId);
    try {
      const answer = await connection.open();
      retryAfterMs = retryAfterOf(answer);
      for await (const event of connection.events(answer)) {
        failures = 0;
        if (event.lastEventId !== '') lastEventId = event.lastEventId;
        retryMs = connection.retryMs ?? retryMs;
        const projectEvent = projectEventOf(event);
        if (projectEvent !== null) yield projectEvent;
      }
    } catch (error) {
      if (error instanceof ProjectEventsRefused) throw error;
      failures++;
    } finally {
      connection.close();
    }
    await pause(Math.max(retryAfterMs, reconnectDelayMs(retryMs, failures)), signal);
  }
}

/**
 * One request with its time limits. `fetch` references the signal of a request weakly: after a garbage collection an abort may
 * have no effect. So an abort also ends the waits for the response and its body here.
 */
class Connection {
  readonly #options: ProjectEventsOptions;
  readonly #lastEventId: string | undefined;
  readonly #parser: EventStreamParser;
  readonly #abort = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ProjectEventsOptions, lastEventId: string | undefined) {
    this.#options = options;
    this.#lastEventId = lastEventId;
    this.#parser = new EventStreamParser(lastEventId);
  }

  get retryMs(): number | null {
    return this.#parser.retryMs;
  }

  /** @throws ProjectEventsRefused */
  async open(): Promise<Response> {
    const { baseUrl, apiKey, projectId, signal, fetch: ask = fetch } = this.#options;
    this.#restartWatchdog();
    signal?.addEventListener('abort', this.close);
    const headers = {
      accept: 'text/event-stream',
      ...authorizationOf(apiKey),
      ...(this.#lastEventId !== undefined && { 'last-event-id': this.#lastEventId }),
    };
    const url = `${baseUrl.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(projectId)}/events`;
    const asking = ask(new Request(url, { headers, cache: 'no-store', signal: this.#abort.signal }));
    const answer = await Promise.race([asking, this.#aborted(asking)]);
    if (isPermanentRefusal(answer)) throw await refusalOf(answer);
    return answer;
  }

  /** The events until the stream ends or breaks. @throws Error for a response without a stream */
  async *events({ ok, body }: Response): AsyncGenerator<ServerSentEvent, void, void> {
    if (!ok || body === null) throw new Error('the stream was not opened');
    const decoder = new TextDecoder();
    const reader = (body as ReadableStream<Uint8Array>).getReader(); // bytes, by the Fetch standard
    this.#reader = reader;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // The time that a slow consumer takes does not count as silence.
      clearTimeout(this.#watchdog);
      yield* this.#parser.push(decoder.decode(part.value, { stream: true }));
      this.#restartWatchdog();
    }
  }

  readonly close = (): void => {
    clearTimeout(this.#watchdog);
    this.#options.signal?.removeEventListener('abort', this.close);
    this.#abort.abort();
    void this.#reader?.cancel().catch(() => undefined); // it is broken already
  };

  /** Rejects when the request is aborted. A response that arrives later is not read. */
  #aborted(asking: Promise<Response>): Promise<never> {
    const { signal } = this.#abort;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('the request was aborted'));
        asking.then(({ body }) => (body?.locked === false ? body.cancel() : undefined)).catch(() => undefined);
      });
    });
  }

  #restartWatchdog(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(this.close, MAX_SILENCE_MS);
  }
}

/** Rate limits, timeouts and errors of the server are transient; any other refusal is permanent. */
function isPermanentRefusal({ ok, status, headers }: Response): boolean {
  if (ok) return headers.get('content-type')?.startsWith('text/event-stream') !== true;
  return status < 500 && status !== 408 && status !== 429;
}

async function refusalOf(answer: Response): Promise<ProjectEventsRefused> {
  const { code, message } = readError(await answer.text());
  return new ProjectEventsRefused(answer.status, code, message ?? `The answer was ${answer.status}, not a stream.`);
}

function readError(text: string): { code: string | null; message: string | null } {
  try {
    const body = JSON.parse(text) as { code?: unknown; message?: unknown } | null; // each member is checked below
    const textOr = (member: unknown) => (typeof member === 'string' ? member : null);
    return { code: textOr(body?.code), message: textOr(body?.message) };
  } catch {
    return { code: null, message: null }; // the response of a proxy
  }
}

/** Parses an event of the API. Unknown types, of newer versions, are ignored. */
function projectEventOf({ type, data, lastEventId }: ServerSentEvent): ProjectEvent | null {
  if (type === 'ready') return { type, number: (parseExactly(data) as { number: number | bigint }).number };
  if (type === 'changed') return { type, domainId: (parseExactly(data) as { domainId: string }).domainId };
  if (type === 'import') return { type, importId: (parseExactly(data) as { importId: string }).importId };
  if (type !== 'history') return null;
  return { type, id: lastEventId, entry: parseExactly(data) as components['schemas']['DomainHistoryEntry'] };
}

function retryAfterOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, 2 * MAX_RETRY_MS) : 0;
}

/** Doubles with each failure in a row; up to half is added at random, so that clients do not return together. */
function reconnectDelayMs(retryMs: number, failures: number): number {
  return exponentialDelayMs({ firstMs: retryMs, maxMs: MAX_RETRY_MS }, Math.max(failures, 1)) * (1 + Math.random() / 2);
}
