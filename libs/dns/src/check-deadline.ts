/**
 * The deadline of a check. It needs no timer: each question has a timeout, which is shortened to the time left. When the job
 * is aborted by its signal, pending questions end immediately.
 */
export class CheckDeadline {
  readonly #endsAt: number;
  readonly #endings = new Set<() => void>();
  #isOver = false;
  /** Asker whose questions take turns with those of others; undefined without one. */
  readonly asker: string | undefined;

  constructor(budgetMs: number, signal?: AbortSignal, asker?: string) {
    this.asker = asker;
    this.#endsAt = performance.now() + budgetMs;
    this.#isOver = signal?.aborted ?? false;
    signal?.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Zero or less: no further question may be sent. */
  leftMs(): number {
    return this.#isOver ? 0 : this.#endsAt - performance.now();
  }

  /** Calls back when the job is aborted. @returns removes the callback */
  onEnd(callback: () => void): () => void {
    this.#endings.add(callback);
    return () => this.#endings.delete(callback);
  }

  /** A deadline for a part of the check, which ends with it at the latest. */
  within(budgetMs: number): CheckDeadline {
    const part = new CheckDeadline(Math.min(budgetMs, this.leftMs()), undefined, this.asker);
    this.onEnd(() => part.#end());
    return part;
  }

  #end(): void {
    this.#isOver = true;
    for (const listener of this.#endings) listener();
    this.#endings.clear();
  }
}
