import { exponentialDelayMs, pause } from '@pets/async';
import { createParser } from 'eventsource-parser';
import { authorizationOf } from './client.js';

export interface EventStreamOptions {
  /** The URL of the API: `https://api.pets.example`. */
  readonly baseUrl: string;
  /** An API key, or the key of a session; null if `fetch` authenticates requests, as with a cookie. */
  readonly apiKey: string | null;
  /** Ends the stream. Only a refusal ends it otherwise. */
  readonly signal?: AbortSignal;
  /** Called when the stream has ended or could not be opened; it is opened again. */
  readonly onRetry?: (reason: string) => void;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The path of a stream below the URL of the API, and the event after which it continues, if it can. */
interface Place {
  readonly path: string;
  readonly lastEventId?: string | undefined;
}

/** The API refuses the stream permanently: the key is not valid, or there is no such stream. */
export class EventStreamRefused extends Error {
  override readonly name = 'EventStreamRefused';

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
 * The events of a stream. A stream that ends or breaks is opened again, after the last received event, with an increasing
 * delay.
 * @throws EventStreamRefused
 */
export async function* readEventStream(
  options: EventStreamOptions,
  place: Place,
): AsyncGenerator<ServerSentEvent, void, void> {
  const { signal, onRetry = () => undefined } = options;
  let { lastEventId } = place;
  let retryMs = RETRY_MS;
  let failures = 0;
  const hasEnded = () => signal?.aborted === true;
  while (!hasEnded()) {
    let retryAfterMs = 0;
    let reason = 'the stream has ended';
    const connection = new Connection(options, { ...place, lastEventId });
    try {
      const answer = await connection.open();
      retryAfterMs = retryAfterOf(answer);
      for await (const event of connection.events(answer)) {
        failures = 0;
        if (event.lastEventId !== '') lastEventId = event.lastEventId;
        retryMs = connection.retryMs ?? retryMs;
        yield event;
      }
    } catch (error) {
      if (error instanceof EventStreamRefused) throw error;
      failures++;
      reason = error instanceof Error ? error.message : String(error);
    } finally {
      connection.close();
    }
    if (!hasEnded()) onRetry(reason);
    await pause(Math.max(retryAfterMs, reconnectDelayMs(retryMs, failures)), signal);
  }
}

/**
 * One request with its time limits. `fetch` references the signal of a request weakly: after a garbage collection an abort may
 * have no effect. So an abort also ends the waits for the response and its body here.
 */
class Connection {
  readonly #options: EventStreamOptions;
  readonly #place: Place;
  readonly #parser: EventStreamParser;
  readonly #abort = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor(options: EventStreamOptions, place: Place) {
    this.#options = options;
    this.#place = place;
    this.#parser = new EventStreamParser(place.lastEventId);
  }

  get retryMs(): number | null {
    return this.#parser.retryMs;
  }

  /** @throws EventStreamRefused */
  async open(): Promise<Response> {
    const { baseUrl, apiKey, signal, fetch: ask = fetch } = this.#options;
    const { path, lastEventId } = this.#place;
    this.#restartWatchdog();
    signal?.addEventListener('abort', this.close);
    const headers = {
      accept: 'text/event-stream',
      ...authorizationOf(apiKey),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const url = `${baseUrl.replace(/\/$/, '')}${path}`;
    const asking = ask(new Request(url, { headers, cache: 'no-store', signal: this.#abort.signal }));
    const answer = await Promise.race([asking, this.#aborted(asking)]);
    if (isPermanentRefusal(answer)) throw await refusalOf(answer);
    return answer;
  }

  /** The events until the stream ends or breaks. @throws Error for a response without a stream */
  async *events(answer: Response): AsyncGenerator<ServerSentEvent, void, void> {
    const { ok, status, body } = answer;
    if (!ok || body === null) throw new Error(readError(await answer.text()).message ?? `the answer was ${status}`);
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

async function refusalOf(answer: Response): Promise<EventStreamRefused> {
  const { code, message } = readError(await answer.text());
  return new EventStreamRefused(answer.status, code, message ?? `The answer was ${answer.status}, not a stream.`);
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

function retryAfterOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, 2 * MAX_RETRY_MS) : 0;
}

/** Doubles with each failure in a row; up to half is added at random, so that clients do not return together. */
function reconnectDelayMs(retryMs: number, failures: number): number {
  return exponentialDelayMs({ firstMs: retryMs, maxMs: MAX_RETRY_MS }, Math.max(failures, 1)) * (1 + Math.random() / 2);
}

/** One event of a stream (WHATWG HTML §9.2.6). */
export interface ServerSentEvent {
  /** `message` when the stream does not say. */
  readonly type: string;
  readonly data: string;
  /** The newest id of the stream, of this event or an earlier one; empty when there is none. */
  readonly lastEventId: string;
}

/** Far more than the longest event of the API. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** Parses a stream of server-sent events, and remembers its last event id and its reconnection time. */
export class EventStreamParser {
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ event: type = 'message', data, id: lastEventId = this.#lastEventId }) => {
      this.#lastEventId = lastEventId;
      this.#events.push({ type, data, lastEventId });
    },
    onRetry: (retryMs) => (this.#retryMs = retryMs),
    onError: (error) => {
      // Other errors are fields that the standard says to ignore.
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });
  #events: ServerSentEvent[] = [];
  #lastEventId: string;
  #retryMs: number | null = null;

  /** @param lastEventId the event after which the stream continues */
  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId;
  }

  /** How long the stream says to wait before a reconnection, in milliseconds. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  /** @throws Error when an event is longer than any of the API */
  push(text: string): readonly ServerSentEvent[] {
    this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
