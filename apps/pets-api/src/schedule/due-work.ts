import { Injectable } from '@nestjs/common';
import { isWorkHeld, type WorkLane } from '@pets/domains';
import { KeyCheck } from '../platform/encryption-keys/key-check.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { EdgeFeed } from '../names/edge-ports.js';
import type { ClaimedWork } from './claim.query.js';
import { DueQueues, DueWorkRepository } from './due-work.repository.js';
import { WorkRepository } from './work.repository.js';

/** Work that could not be dispatched is due again after this. */
const RELEASE_SECONDS = 2;

/** Issuance without an ACME account is deferred until there is one, or for this long. */
const DEFER_SECONDS = 300;

/** Work of suspended domains is due again after this, though a resumption makes it due at once. */
const HOLD_SECONDS = 6 * 60 * 60;

/** Decides which due work is dispatched now, and holds, defers or releases the rest. */
@Injectable()
export class DueWork {
  /** Whether issuance was deferred because there was no account. An earlier process may have deferred some as well. */
  private hasDeferred = true;

  constructor(
    private readonly work: WorkRepository,
    private readonly ready: DueWorkRepository,
    private readonly queues: DueQueues,
    private readonly feed: EdgeFeed,
    private readonly keys: KeyCheck,
    private readonly metrics: ApiMetrics,
  ) {}

  /** A replica with wrong keys leaves the rows to others, which could not open the keys that it seals. */
  get isReady(): boolean {
    return this.keys.isUsable;
  }

  /** Makes deferred issuance due once there is an ACME account. */
  async resumeDeferred(): Promise<void> {
    if (!this.hasDeferred || (await this.feed.head()).thumbprint === null) return;
    this.hasDeferred = false;
    await this.work.resumeDeferred();
  }

  hasReady(lane: WorkLane): boolean {
    return this.queues.lane(lane).hasReady(new Date());
  }

  /** Claims rows of a lane, of each organization in turn. Fewer than `limit` when no more are ready. */
  async claim(lane: WorkLane, limit: number): Promise<readonly ClaimedWork[]> {
    const queues = this.queues.lane(lane);
    const claims: ClaimedWork[] = [];
    while (claims.length < limit) {
      const shares = queues.next(limit - claims.length, new Date());
      if (shares.length === 0) break;
      const claimed = await this.ready.claim(shares);
      for (const [index, { queue }] of shares.entries()) queues.claimed(queue, claimed.readyAt[index] ?? null);
      if (claimed.claims.length === 0) break;
      claims.push(...claimed.claims);
    }
    return claims;
  }

  /** Finds what no other part of this process has announced. */
  discover(signal: AbortSignal): Promise<void> {
    return this.ready.discover(signal);
  }

  /** Holds work that a suspension forbids, but reads open orders. @returns the other work */
  async holdSuspended(claimed: readonly ClaimedWork[]): Promise<readonly ClaimedWork[]> {
    const now = new Date();
    const held = new Set(claimed.filter((claim) => !claim.hasOpenOrder && isWorkHeld(claim, now)));
    await this.work.hold([...held], HOLD_SECONDS);
    const claims = claimed.filter((claim) => !held.has(claim));
    for (const { kind, lateSeconds } of claims) this.metrics.dispatched(kind, lateSeconds);
    return claims;
  }

  /** Defers work that cannot be done yet: issuance without an account, and probes without a certificate. */
  async defer(claims: readonly ClaimedWork[]): Promise<void> {
    const issuances = claims.filter(({ kind }) => kind === 'issuance');
    await this.work.defer(issuances, DEFER_SECONDS);
    if (issuances.length > 0) this.hasDeferred = true;
    await this.release(
      claims.filter(({ kind }) => kind !== 'issuance'),
      RELEASE_SECONDS,
    );
  }

  release(claims: readonly ClaimedWork[], afterSeconds: number): Promise<void> {
    return this.work.release(claims, afterSeconds);
  }
}
