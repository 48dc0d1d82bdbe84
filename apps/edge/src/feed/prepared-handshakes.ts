import { MAX_REPORTED_HANDSHAKES } from '@pets/contracts/edge-feed';

/** A host is reported again after this time, in case a report got lost. */
const REPEAT_MS = 10_000;
/** Hosts that are remembered. Beyond it the oldest are forgotten, and may be reported earlier. */
const MAX_REMEMBERED = 10_000;

/**
 * Hosts for which the DNS may just have been switched: a visitor asked this edge for one while it was prepared; the wildcard
 * for all that it covers. Each is reported at most every ten seconds, whatever the number of handshakes.
 */
export class PreparedHandshakes {
  readonly #now: () => number;
  readonly #reportedAtMs = new Map<string, number>();
  readonly #waiting = new Set<string>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns whether the host is to be reported now */
  addHost(host: string): boolean {
    const now = this.#now();
    const reportedAtMs = this.#reportedAtMs.get(host);
    if (reportedAtMs !== undefined && now - reportedAtMs < REPEAT_MS) return false;
    this.#reportedAtMs.delete(host);
    this.#reportedAtMs.set(host, now);
    if (this.#reportedAtMs.size > MAX_REMEMBERED) this.#forgetOldest();
    this.#waiting.add(host);
    return true;
  }

  /** The hosts of the next report. The rest stays for the one after it. */
  take(): readonly string[] {
    const hosts = [...this.#waiting.values().take(MAX_REPORTED_HANDSHAKES)];
    for (const host of hosts) this.#waiting.delete(host);
    return hosts;
  }

  #forgetOldest(): void {
    const [oldest] = this.#reportedAtMs.keys();
    if (oldest === undefined) return;
    this.#reportedAtMs.delete(oldest);
    this.#waiting.delete(oldest);
  }
}
