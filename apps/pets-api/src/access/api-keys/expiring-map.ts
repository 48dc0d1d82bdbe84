export interface ExpiringMapOptions {
  readonly lifetimeMs: number;
  /** Beyond it the oldest entry goes. */
  readonly maxEntries: number;
  /** Monotonic, so that setting the computer's clock keeps nothing alive. */
  readonly clock?: () => number;
}

/** A map whose entries live for a fixed time from when they were set, and that never grows beyond its bound. */
export class ExpiringMap<Key, Value> {
  private readonly entries = new Map<Key, { readonly value: Value; readonly endsAt: number }>();
  private readonly clock: () => number;

  constructor(private readonly options: ExpiringMapOptions) {
    this.clock = options.clock ?? (() => performance.now());
  }

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && this.clock() < entry.endsAt ? entry.value : undefined;
  }

  set(key: Key, value: Value): void {
    // Put anew at the end: the order of insertion is the order of age.
    this.entries.delete(key);
    this.entries.set(key, { value, endsAt: this.clock() + this.options.lifetimeMs });
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.options.maxEntries && oldest !== undefined) this.entries.delete(oldest);
  }

  delete(key: Key): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
