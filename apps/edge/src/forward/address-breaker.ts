/** Failures in a row after which an address is left alone. */
const FAILURES = 3;
const FIRST_OPEN_MS = 1_000;
const MAX_OPEN_MS = 30_000;

interface AddressState {
  failures: number;
  openUntilMs: number;
}

/**
 * Leaves addresses alone to which connections fail, so that requests do not wait for them. One breaker for each origin: what one
 * customer's configuration breaks is no evidence for another's. Only failures to connect count; an application that answers slowly
 * or not at all is reached.
 *
 * After three failures in a row an address gets one trial, after 1 s at first, and after twice the time, up to 30 s, each time
 * that the trial fails.
 */
export class AddressBreaker {
  readonly #states = new Map<string, AddressState>();

  /** Whether a connection may be tried now. If the address is left alone, the first after its time is its trial. */
  admit(address: string, nowMs: number): boolean {
    const state = this.#states.get(address);
    if (state === undefined || state.failures < FAILURES) return true;
    if (nowMs < state.openUntilMs) return false;
    state.openUntilMs = nowMs + openMs(state.failures);
    return true;
  }

  failed(address: string, nowMs: number): void {
    const state = this.#states.get(address) ?? { failures: 0, openUntilMs: 0 };
    state.failures += 1;
    state.openUntilMs = nowMs + openMs(state.failures);
    this.#states.set(address, state);
  }

  succeeded(address: string): void {
    this.#states.delete(address);
  }

  /** Forgets addresses that the host does not have any more. */
  keep(addresses: readonly string[]): void {
    if (this.#states.size === 0) return;
    for (const address of this.#states.keys()) if (!addresses.includes(address)) this.#states.delete(address);
  }
}

function openMs(failures: number): number {
  return Math.min(MAX_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.max(0, failures - FAILURES));
}
