import type { EdgeSessionAck } from '@pets/contracts';
import { closeCodes, type EdgeSession } from './edge-session.js';
import type { ReportBatches, ReportOutcome } from './report-batches.js';

export interface EdgeContactOptions {
  readonly session: EdgeSession;
  readonly reports: Pick<ReportBatches, 'store' | 'drop'>;
  /** The shortest time between two contacts that say nothing new. */
  readonly intervalMs: number;
  /** The origins that edges are asked about; the same array until they change. */
  readonly askedOrigins: () => readonly string[];
  /** Called once, when the edge is registered. */
  readonly onRegistered: () => void;
}

/**
 * Stores the acknowledgements of an edge in a session. A new version is stored soon. A mere contact is stored when the
 * last one is some seconds old, so that many edges cost few statements. The edge renews its lease only with a contact
 * that is stored, so the database never believes that an edge has stopped while it still serves.
 */
export class EdgeContact {
  readonly #options: EdgeContactOptions;
  #stored: { readonly ack: EdgeSessionAck; readonly atMs: number } | undefined;
  /** The newest one that waits for its statement. */
  #waiting: EdgeSessionAck | undefined;

  /** The origins that the edge was asked about last. */
  #askedOrigins: readonly string[] = [];

  constructor(options: EdgeContactOptions) {
    this.#options = options;
  }

  /** Stores the newest acknowledgement of the session, if it says more than the one before or that is old. */
  storeIfDue(): void {
    const { session, reports } = this.#options;
    const ack = session.newest;
    if (ack === undefined || session.isClosing || !this.#isDue(ack)) return;
    this.#waiting = ack;
    const isRegistration = this.#stored === undefined;
    const report = { ...ack, region: ack.region ?? null, sessionId: session.id, isRegistration };
    void reports.store(report, this.#stored?.ack.version ?? -1).then((outcome) => this.#settle(ack, outcome));
  }

  /** Drops what waits: the edge may register with another replica from now on. */
  end(): void {
    const { session, reports } = this.#options;
    if (session.newest !== undefined) reports.drop(session.newest.edgeId, session.id);
  }

  #isDue(ack: EdgeSessionAck): boolean {
    if (this.#waiting !== undefined) return saysMore(ack, this.#waiting);
    if (this.#stored === undefined) return true;
    if (ack === this.#stored.ack) return false;
    return saysMore(ack, this.#stored.ack) || performance.now() - this.#stored.atMs >= this.#options.intervalMs;
  }

  #settle(ack: EdgeSessionAck, outcome: ReportOutcome): void {
    const { session, onRegistered } = this.#options;
    if (this.#waiting === ack) this.#waiting = undefined;
    if (outcome === 'replaced') session.close(closeCodes.replaced, 'the edge has another session, or has deregistered');
    if (outcome !== 'stored') return;
    const isFirst = this.#stored === undefined;
    this.#stored = { ack, atMs: performance.now() };
    session.send({ kind: 'contact', contactAtMs: ack.sentAtMs, ...this.#question() });
    if (isFirst) onRegistered();
  }

  /** @returns nothing where the edge knows it already */
  #question(): { readonly origins?: string[] } {
    const origins = this.#options.askedOrigins();
    if (origins === this.#askedOrigins || (origins.length === 0 && this.#askedOrigins.length === 0)) return {};
    this.#askedOrigins = origins;
    return { origins: [...origins] };
  }
}

/** More than that the edge is there. */
function saysMore(ack: EdgeSessionAck, than: EdgeSessionAck): boolean {
  return (
    ack.version !== than.version ||
    ack.epoch !== than.epoch ||
    ack.httpAddress !== than.httpAddress ||
    ack.httpsAddress !== than.httpsAddress ||
    ack.region !== than.region
  );
}
