/**
 * The time a check may take. Its end needs no timer: every question is given a limit anyway, which is cut to what is left.
 * When the job is over (its signal is aborted) what is still being asked ends at once.
 */
export class CheckTime {
  readonly #endsAt: number;
  readonly #endings = new Set<() => void>();
  #isOver = false;

  constructor(budgetMs: number, signal?: AbortSignal) {
    this.#endsAt = performance.now() + budgetMs;
    this.#isOver = signal?.aborted ?? false;
    signal?.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Zero or less: nothing may be asked any more. */
  leftMs(): number {
    return this.#isOver ? 0 : this.#endsAt - performance.now();
  }

  /** @returns takes the callback back */
  onEnd(callback: () => void): () => void {
    this.#endings.add(callback);
    return () => this.#endings.delete(callback);
  }

  #end(): void {
    this.#isOver = true;
    for (const ending of this.#endings) ending();
    this.#endings.clear();
  }
}
