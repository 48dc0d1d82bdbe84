import { AutoResetEvent, pause } from '@pets/async';
import { readProjectEvents } from '@pets/client';
import type { Domain } from '@pets/contracts';
import { isTransient, type Api, type ApiAccess } from '../api/api.js';

interface DomainPath {
  readonly projectId: string;
  /** The name or the ID. */
  readonly domain: string;
}

interface WatchOptions {
  readonly timeoutMs: number;
  /** Called for each failed read, which is retried. */
  readonly onError: (message: string) => void;
}

/** Intervals between reads without an event stream. */
const FIRST_INTERVAL_MS = 300;
const MAX_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;

/** While the event stream is open, polling is only a fallback. */
const STREAMING_INTERVAL_MS = 15_000;

/**
 * Yields a domain until the timeout: immediately, then after each event of the project's stream, or without a stream at
 * intervals that grow while nothing changes. Transient errors of the API are retried.
 */
export async function* watchDomain(api: Api, path: DomainPath, options: WatchOptions): AsyncGenerator<Domain> {
  const endsAt = performance.now() + options.timeoutMs;
  const changes = new DomainChanges(api.access, path.projectId);
  let intervalMs = FIRST_INTERVAL_MS;
  let previous = '';
  try {
    for (;;) {
      const { domain, retryAfterMs } = await tryReadDomain(api, path, options);
      if (domain !== null) {
        const current = JSON.stringify(domain);
        intervalMs = current === previous ? Math.min(intervalMs * INTERVAL_GROWTH, MAX_INTERVAL_MS) : FIRST_INTERVAL_MS;
        previous = current;
        changes.domainId = domain.id;
        yield domain;
      }
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) return;
      if (retryAfterMs > 0) await pause(Math.min(retryAfterMs, leftMs));
      else await changes.wait(Math.min(changes.isOpen ? STREAMING_INTERVAL_MS : intervalMs, leftMs));
    }
  } finally {
    changes.close();
  }
}

export function readDomain(api: Api, path: DomainPath): Promise<Domain> {
  return api.data(api.http.GET('/v1/projects/{projectId}/domains/{domain}', { params: { path } }));
}

/** No domain after a transient error. */
async function tryReadDomain(
  api: Api,
  path: DomainPath,
  { onError }: WatchOptions,
): Promise<{ readonly domain: Domain | null; readonly retryAfterMs: number }> {
  try {
    return { domain: await readDomain(api, path), retryAfterMs: 0 };
  } catch (error) {
    if (!isTransient(error)) throw error;
    onError(error.message);
    return { domain: null, retryAfterMs: error.retryAfterMs };
  }
}

/**
 * Waits for events of a domain on the project's event stream. The stream only makes a read happen earlier: when it is
 * refused or breaks, `isOpen` is false and the caller polls.
 */
export class DomainChanges {
  /** Null: events of every domain of the project count. */
  domainId: string | null = null;

  #isOpen = false;
  readonly #changed = new AutoResetEvent();
  readonly #abort = new AbortController();

  constructor({ apiUrl: baseUrl, apiKey }: ApiAccess, projectId: string) {
    const { signal } = this.#abort;
    const events = readProjectEvents({ baseUrl, apiKey, projectId, signal, fetch: (request) => this.#open(request) });
    void this.#follow(events).catch(() => (this.#isOpen = false)); // refused: the caller polls
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns after a change, or after the timeout. */
  async wait(timeoutMs: number): Promise<void> {
    await this.#changed.wait(timeoutMs);
  }

  close(): void {
    this.#abort.abort();
  }

  /** A stream that reconnects may miss events until it is open. */
  #open(request: Request): Promise<Response> {
    this.#isOpen = false;
    return fetch(request);
  }

  async #follow(events: ReturnType<typeof readProjectEvents>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'ready') this.#isOpen = true;
      const changedId =
        event.type === 'history' ? event.entry.domainId : event.type === 'changed' ? event.domainId : null;
      if (changedId !== null && this.domainId !== null && changedId !== this.domainId) continue;
      this.#changed.set();
    }
  }
}

interface RequestLimits {
  /** Between two requests. */
  readonly intervalMs: number;
  /** Afterwards nobody is expected to look, and the schedule of the API is enough. */
  readonly durationMs: number;
}

const limits: RequestLimits = { intervalMs: 10_000, durationMs: 15 * 60_000 };

/** Tells the API that a person waits for a domain to find its records, so that its DNS is checked every ten seconds. */
export class CheckRequests {
  readonly #api: Api;
  readonly #path: DomainPath;
  readonly #onError: (message: string) => void;
  readonly #limits: RequestLimits;
  readonly #abort = new AbortController();
  #hasBegun = false;
  #isWanted = false;
  #nextAt: Date | null = null;

  /** @param onError called for each request that failed; one that may succeed later is repeated */
  constructor(api: Api, path: DomainPath, onError: (message: string) => void, more: Partial<RequestLimits> = {}) {
    this.#api = api;
    this.#path = path;
    this.#onError = onError;
    this.#limits = { ...limits, ...more };
  }

  /** Makes requests from the first call on, at once and at intervals, as long as the domain waits for DNS. */
  follow({ state, suspensions }: Domain): void {
    this.#isWanted = state === 'awaiting_dns' && suspensions.length === 0;
    if (!this.#isWanted || this.#hasBegun) return;
    this.#hasBegun = true;
    void this.#run();
  }

  /** When the next check is requested; null when none will be. */
  get nextAt(): Date | null {
    return this.#isWanted ? this.#nextAt : null;
  }

  close(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const endsAt = performance.now() + this.#limits.durationMs;
    while (!signal.aborted && performance.now() < endsAt) {
      const pauseMs = this.#isWanted ? await this.#request() : this.#limits.intervalMs;
      if (pauseMs === null) break;
      this.#nextAt = new Date(Date.now() + pauseMs);
      await pause(pauseMs, signal);
    }
    this.#nextAt = null;
  }

  /** @returns the pause before the next request; null when it would fail too, as for a domain that was removed */
  async #request(): Promise<number | null> {
    const { intervalMs } = this.#limits;
    const params = { path: this.#path };
    try {
      await this.#api.result(this.#api.http.POST('/v1/projects/{projectId}/domains/{domain}/watch', { params }));
      return intervalMs;
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#onError(error instanceof Error ? error.message : String(error));
      if (!isTransient(error)) return null;
      return Math.max(intervalMs, error.retryAfterMs);
    }
  }
}
