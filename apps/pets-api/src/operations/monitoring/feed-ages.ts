/** At one sample in ten seconds, six hours. */
const MAX_SAMPLES = 2_048;

interface Sample {
  readonly version: number;
  readonly atMs: number;
}

/**
 * Remembers when the feed had which version, to tell how long ago the first change was published that an edge lacks. The
 * database does not store when a version was published, since that would cost a write at each change.
 */
export class FeedAges {
  #samples: Sample[] = [];

  /** @param atMs of a clock that never goes back */
  record(version: number, atMs: number): void {
    const last = this.#samples.at(-1);
    // A restored database continues at a lower version.
    if (last !== undefined && version < last.version) this.#samples = [];
    if (version === last?.version) return;
    this.#samples.push({ version, atMs });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /**
   * Seconds since a reading first saw a version after `applied`: at most the pause between two readings less than the truth;
   * 0 when `applied` is the newest.
   */
  secondsBehind(applied: number, nowMs: number): number {
    const missed = this.#samples.find(({ version }) => version > applied);
    return missed === undefined ? 0 : (nowMs - missed.atMs) / 1_000;
  }
}
