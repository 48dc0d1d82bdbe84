/** A check that has taken longer waits for servers that do not answer. Healthy ones take a tenth of it. */
const LONG_MS = 500;

export interface LongCheckLimits {
  /** The most long checks of one organization at a time. */
  readonly limit: number;
  readonly longMs?: number;
}

/**
 * Keeps an organization whose zones hang from occupying a lane. Any number of its checks may run, but only some of them for
 * longer than half a second: beyond its share a check is cut short and reports what it knows until then. Missing answers
 * have failed, so they are evidence of nothing.
 */
export class LongChecks {
  readonly #long = new Map<string, number>();
  readonly #limit: number;
  readonly #longMs: number;

  constructor({ limit, longMs = LONG_MS }: LongCheckLimits) {
    this.#limit = limit;
    this.#longMs = longMs;
  }

  /** @param check stops asking when its signal is aborted */
  async run<Result>(organizationId: string, check: (cut: AbortSignal) => Promise<Result>): Promise<Result> {
    const cut = new AbortController();
    let isLong = false;
    const timer = setTimeout(() => {
      isLong = this.#add(organizationId);
      if (!isLong) cut.abort(new Error('the organization has its share of long checks'));
    }, this.#longMs);
    try {
      return await check(cut.signal);
    } finally {
      clearTimeout(timer);
      if (isLong) this.#remove(organizationId);
    }
  }

  #add(organizationId: string): boolean {
    const count = this.#long.get(organizationId) ?? 0;
    if (count >= this.#limit) return false;
    this.#long.set(organizationId, count + 1);
    return true;
  }

  #remove(organizationId: string): void {
    const left = (this.#long.get(organizationId) ?? 1) - 1;
    if (left === 0) this.#long.delete(organizationId);
    else this.#long.set(organizationId, left);
  }
}
