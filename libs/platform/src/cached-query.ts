import { restAfter, withTimeout } from '@pets/async';

export interface CachedQueryOptions {
  /** How long a result is returned before the query is run again. */
  readonly keepMs: number;
  /** Callers wait no longer than this, and then receive the previous result. */
  readonly limitMs: number;
  /** Is called for each query that fails or times out. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * An expensive query whose result many callers read. Concurrent callers share one run, and a limit keeps runs apart. The result
 * of a failed run is null and is kept as well.
 */
export class CachedQuery<T> {
  readonly #query: () => Promise<T>;
  readonly #options: CachedQueryOptions;
  readonly #nowMs: () => number;
  #running: Promise<T | null> | null = null;
  #cached: { readonly value: T | null; readonly untilMs: number } | null = null;

  /** @param nowMs a monotonic clock */
  constructor(query: () => Promise<T>, options: CachedQueryOptions, nowMs: () => number = () => performance.now()) {
    this.#query = query;
    this.#options = options;
    this.#nowMs = nowMs;
  }

  async current(): Promise<T | null> {
    if (this.#cached !== null && this.#nowMs() < this.#cached.untilMs) return this.#cached.value;
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#withTimeout(this.#running);
  }

  async #run(): Promise<T | null> {
    const startedMs = this.#nowMs();
    let value: T | null = null;
    try {
      value = await this.#query();
    } catch (error) {
      this.#options.onFailure(error);
    }
    const endedMs = this.#nowMs();
    this.#cached = { value, untilMs: endedMs + Math.max(this.#options.keepMs, restAfter(endedMs - startedMs)) };
    return value;
  }

  async #withTimeout(running: Promise<T | null>): Promise<T | null> {
    const { limitMs, onFailure } = this.#options;
    try {
      return await withTimeout(running, limitMs, 'query');
    } catch (error) {
      onFailure(error);
      return this.#cached?.value ?? null;
    }
  }
}
