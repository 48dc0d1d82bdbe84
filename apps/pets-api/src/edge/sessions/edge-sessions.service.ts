/**
 * The sessions of edges on this replica (`edge-session.ts` of contracts has the protocol).
 *
 * 1. `open` limits the session. Its first acknowledgement registers the edge (`EdgeContact`, `ReportBatches`).
 * 2. From that commit on a removal waits for the edge, so the session reads the head only then (`FeedHub.join`): the edge
 *    gets everything that was published before its registration.
 * 3. The hub sends what is recent, `CatchUp` what is older. An edge that cannot continue gets a snapshot.
 */
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EdgeSessionAck, OriginOpinion, OriginTest } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { WebSocket } from 'ws';
import type { EdgeHandshakes } from '../../names/edge-ports.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import type { OriginReports } from '../../projects/origins/origin-reports.js';
import { staleSeconds } from '../feed-protocol.js';
import { CatchUp } from './catch-up.js';
import { closeCodes, EdgeSession, type SessionPosition } from './edge-session.js';
import { FeedHub } from './feed-hub.js';
import { ReportBatches, type ReportOutcome } from './report-batches.js';

interface EdgeContactOptions {
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
class EdgeContact {
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

/** Sessions of one replica. */
const MAX_SESSIONS = 5_000;

/** How exact the limits and intervals of sessions are. */
const TICK_MS = 500;

/** Less than the time for which an edge counts as reachable, with a report every 5 s. */
const MAX_CONTACT_INTERVAL_MS = 10_000;

@Injectable()
export class EdgeSessions implements OnModuleInit, EdgeHandshakes, OriginReports {
  readonly #contacts = new Map<EdgeSession, EdgeContact>();
  readonly #byEdge = new Map<string, EdgeSession>();
  readonly #handshakeListeners: ((hosts: readonly string[]) => void)[] = [];
  readonly #testListeners: ((tests: readonly OriginTest[]) => void)[] = [];
  readonly #opinionListeners: ((edgeId: string, opinions: readonly OriginOpinion[]) => void)[] = [];
  readonly #contactIntervalMs: number;
  /** The origins that edges are asked about. */
  #askedOrigins: readonly string[] = [];

  constructor(
    private readonly hub: FeedHub,
    private readonly catchUp: CatchUp,
    private readonly reports: ReportBatches,
    private readonly shuttingDown: ShuttingDown,
    private readonly tasks: BackgroundTasks,
    private readonly metrics: ApiMetrics,
    @Inject(CONFIG) config: Pick<Config, 'EDGE_MAX_STALENESS'>,
  ) {
    const stalenessMs = staleSeconds(config.EDGE_MAX_STALENESS) * 1_000;
    this.#contactIntervalMs = Math.min(MAX_CONTACT_INTERVAL_MS, stalenessMs / 4) - TICK_MS;
  }

  onModuleInit(): void {
    const help = 'How far the clock of the edge that differs most is ahead of the clock of this process';
    this.metrics.gauge('pets_edge_clock_ahead_seconds', help, () => this.#largestSkewMs() / 1_000);
    this.tasks.repeat({ everyMs: TICK_MS, failure: 'edge sessions not checked', run: async () => this.#tick() });
    this.shuttingDown.signal.addEventListener('abort', () => {
      for (const session of this.#contacts.keys()) session.close(closeCodes.goingAway, 'the API stops');
    });
  }

  onReported(listener: (hosts: readonly string[]) => void): void {
    this.#handshakeListeners.push(listener);
  }

  onTested(listener: (tests: readonly OriginTest[]) => void): void {
    this.#testListeners.push(listener);
  }

  onOpinions(listener: (edgeId: string, opinions: readonly OriginOpinion[]) => void): void {
    this.#opinionListeners.push(listener);
  }

  /** Each edge is asked with its next contact. */
  ask(origins: readonly string[]): void {
    const isSame = isDeepStrictEqual(new Set(origins), new Set(this.#askedOrigins));
    if (!isSame) this.#askedOrigins = origins;
  }

  /** Call before the upgrade. @throws RequestError when this replica takes no more sessions */
  assertOpen(): void {
    if (this.shuttingDown.signal.aborted) throw new RequestError('unavailable', 'The API stops. Connect again.');
    if (this.#contacts.size >= MAX_SESSIONS) throw new RequestError('unavailable', 'There are too many sessions.');
  }

  open(socket: WebSocket, position: SessionPosition): void {
    const session = new EdgeSession(socket, position, {
      acknowledged: (of, { edgeId, handshakes = [], originTests = [], originHealth = [] }) => {
        this.#replaceEarlier(of, edgeId);
        if (handshakes.length > 0) for (const listener of this.#handshakeListeners) listener(handshakes);
        if (originTests.length > 0) for (const listener of this.#testListeners) listener(originTests);
        if (originHealth.length > 0) for (const listener of this.#opinionListeners) listener(edgeId, originHealth);
        this.#contacts.get(of)?.storeIfDue();
      },
      closed: (of) => this.#forget(of),
      resync: (of) => void this.catchUp.run(of),
    });
    const { reports } = this;
    const intervalMs = this.#contactIntervalMs;
    const onRegistered = () => void this.catchUp.run(session);
    this.#contacts.set(
      session,
      new EdgeContact({ session, reports, intervalMs, onRegistered, askedOrigins: () => this.#askedOrigins }),
    );
    if (this.shuttingDown.signal.aborted) session.close(closeCodes.goingAway, 'the API stops');
  }

  /** An edge that connects again may not have noticed the end of its first connection, nor have we. */
  #replaceEarlier(session: EdgeSession, edgeId: string): void {
    const earlier = this.#byEdge.get(edgeId);
    if (earlier === session) return;
    this.#byEdge.set(edgeId, session);
    if (earlier === undefined) return;
    this.#contacts.get(earlier)?.end();
    earlier.close(closeCodes.replaced, 'the edge has a later session');
  }

  #forget(session: EdgeSession): void {
    this.#contacts.get(session)?.end();
    this.#contacts.delete(session);
    this.hub.leave(session);
    const edgeId = session.newest?.edgeId;
    if (edgeId !== undefined && this.#byEdge.get(edgeId) === session) this.#byEdge.delete(edgeId);
  }

  #largestSkewMs(): number {
    return this.#contacts
      .keys()
      .map(({ clockAheadMs }) => clockAheadMs)
      .reduce((largest, ahead) => (Math.abs(ahead) > Math.abs(largest) ? ahead : largest), 0);
  }

  #tick(): void {
    const now = performance.now();
    const version = this.hub.head?.version;
    const heartbeat = version === undefined ? undefined : JSON.stringify({ kind: 'heartbeat', version });
    for (const [session, contact] of this.#contacts) {
      session.tick(now, heartbeat);
      contact.storeIfDue();
    }
  }
}
