import { exponentialDelayMs, pause } from '@pets/async';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';
import { parseExactly } from './exact-json.js';
import type { components } from './schema.js';

/** What a stream tells of a project. */
export type ProjectEvent =
  /** The stream is open, and goes on behind this line of the history. Hints may have been missed until now. */
  | { readonly type: 'ready'; readonly number: number | bigint }
  /** A line of the history; `id` is for `lastEventId`. */
  | { readonly type: 'history'; readonly id: string; readonly entry: components['schemas']['DomainHistoryEntry'] }
  /** A domain has changed, and its history says nothing of it: read it again. */
  | { readonly type: 'changed'; readonly domainId: string };

export interface ProjectEventsOptions {
  /** Where the API is: `https://api.pets.example`. */
  readonly baseUrl: string;
  /** An API key, or the key of a session. */
  readonly apiKey: string;
  readonly projectId: string;
  /** Go on behind this event: `0` for the whole history. Without it: from now on. */
  readonly lastEventId?: string;
  /** Ends the reading. Nothing else does, but a refusal. */
  readonly signal?: AbortSignal;
  /** Instead of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The API refuses the stream, and would refuse it again: the key is not valid, or there is no such project. */
export class ProjectEventsRefused extends Error {
  override readonly name = 'ProjectEventsRefused';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The `code` of the error, where there is one. */
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** Until the stream says otherwise. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Three heartbeats. A connection on which nothing comes for so long is dead, whatever the network says. */
const MAX_SILENCE_MS = 45_000;

/**
 * Reads what happens in a project as it happens, for as long as it is asked to: a stream that ends or breaks is opened
 * again, by and by less often, behind the last event that came. Each line of the history comes once and in order; `ready`
 * comes with every connection.
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
        const told = projectEventOf(event);
        if (told !== null) yield told;
      }
    } catch (error) {
      if (error instanceof ProjectEventsRefused) throw error;
      failures++;
    } finally {
      connection.close();
    }
    await pause(Math.max(retryAfterMs, backOff(retryMs, failures)), signal);
  }
}

/**
 * One request, and the limits of its time. `fetch` holds on to the signal of a request by weak references alone: once the
 * garbage collector has been by, aborting it does nothing. So whoever waits for an answer or for bytes is told here, too.
 */
class Connection {
  private readonly abort = new AbortController();
  private readonly parser: EventStreamParser;
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly options: ProjectEventsOptions,
    private readonly lastEventId: string | undefined,
  ) {
    this.parser = new EventStreamParser(lastEventId);
  }

  get retryMs(): number | null {
    return this.parser.retryMs;
  }

  /** @throws ProjectEventsRefused */
  async open(): Promise<Response> {
    const { baseUrl, apiKey, projectId, signal, fetch: ask = fetch } = this.options;
    this.hear();
    signal?.addEventListener('abort', this.close);
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${apiKey}`,
      ...(this.lastEventId !== undefined && { 'last-event-id': this.lastEventId }),
    };
    const url = `${baseUrl.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(projectId)}/events`;
    const asking = ask(new Request(url, { headers, cache: 'no-store', signal: this.abort.signal }));
    const answer = await Promise.race([asking, this.aborted(asking)]);
    if (isLasting(answer)) throw await refusalOf(answer);
    return answer;
  }

  /** What comes until the stream ends or breaks; nothing from an answer that is no stream. */
  async *events({ ok, body }: Response): AsyncGenerator<ServerSentEvent, void, void> {
    if (!ok || body === null) throw new Error('the stream was not opened');
    const decoder = new TextDecoder();
    const reader = (body as ReadableStream<Uint8Array>).getReader(); // bytes, by the Fetch standard
    this.reader = reader;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // Whoever takes long over an event does not make the stream a dead one.
      clearTimeout(this.silence);
      yield* this.parser.push(decoder.decode(part.value, { stream: true }));
      this.hear();
    }
  }

  readonly close = (): void => {
    clearTimeout(this.silence);
    this.options.signal?.removeEventListener('abort', this.close);
    this.abort.abort();
    void this.reader?.cancel().catch(() => undefined); // it has broken already
  };

  /** Rejects when the request is aborted; an answer that comes all the same is not read. */
  private aborted(asking: Promise<Response>): Promise<never> {
    const { signal } = this.abort;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('the request was aborted'));
        asking.then(({ body }) => (body?.locked === false ? body.cancel() : undefined)).catch(() => undefined);
      });
    });
  }

  private hear(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(this.close, MAX_SILENCE_MS);
  }
}

/** Too many requests and time-outs pass, as what is wrong at the server does; any other refusal stays one. */
function isLasting({ ok, status, headers }: Response): boolean {
  if (ok) return headers.get('content-type')?.startsWith('text/event-stream') !== true;
  return status < 500 && status !== 408 && status !== 429;
}

async function refusalOf(answer: Response): Promise<ProjectEventsRefused> {
  const { code, message } = readError(await answer.text());
  return new ProjectEventsRefused(answer.status, code, message ?? `The answer was ${answer.status}, not a stream.`);
}

function readError(text: string): { code: string | null; message: string | null } {
  try {
    const body = JSON.parse(text) as { code?: unknown; message?: unknown } | null; // each member is looked at below
    const textOr = (member: unknown) => (typeof member === 'string' ? member : null);
    return { code: textOr(body?.code), message: textOr(body?.message) };
  } catch {
    return { code: null, message: null }; // of something between here and the API
  }
}

/** The bytes of a stream of ours are parsed here; events that are newer than this client are passed over. */
function projectEventOf({ type, data, lastEventId }: ServerSentEvent): ProjectEvent | null {
  if (type === 'ready') return { type, number: (parseExactly(data) as { number: number | bigint }).number };
  if (type === 'changed') return { type, domainId: (parseExactly(data) as { domainId: string }).domainId };
  if (type !== 'history') return null;
  return { type, id: lastEventId, entry: parseExactly(data) as components['schemas']['DomainHistoryEntry'] };
}

function retryAfterOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, 2 * MAX_RETRY_MS) : 0;
}

/** Twice as long with each failure in a row, and up to half as long again, so that not all come back at one moment. */
function backOff(retryMs: number, failures: number): number {
  return exponentialDelayMs({ firstMs: retryMs, maxMs: MAX_RETRY_MS }, Math.max(failures, 1)) * (1 + Math.random() / 2);
}
