import { pause } from '@pets/async';
import type { Domain } from '@pets/contracts';
import { isTransient, type Api } from '../api/api.js';
import type { DomainPath } from './watch-domain.js';

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
