import { Injectable } from '@nestjs/common';
import { refillMs, type LimitKind } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { CaPausesRepository, CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAuthorities } from './certificate-authorities.js';
import { CA_LINE } from './order-queue.repository.js';

/** The highest use of a limit by one subject. */
export interface LimitUse {
  readonly directoryUrl: string;
  readonly limit: LimitKind;
  readonly used: number;
  readonly max: number;
}

/** The queue of a configured CA. */
export interface CaQueueReading {
  readonly directoryUrl: string;
  /** Orders that wait for a slot. */
  readonly count: number;
  /** Until the last of them has one, at the pace that the CA allows. */
  readonly waitSeconds: number;
  /** Until the end of the pause that the CA asked for. */
  readonly pausedSeconds: number;
}

/** Orders below registered domains that are at a limit of a CA. */
export interface ParkedReading {
  readonly directoryUrl: string;
  readonly count: number;
}

/** Readings of the CAs. */
@Injectable()
export class CaReadingsRepository {
  constructor(
    private readonly cas: CertificateAuthorities,
    private readonly usage: CaUsageRepository,
    private readonly pauses: CaPausesRepository,
  ) {}

  async readLimits(tx: Tx, now: Date): Promise<LimitUse[]> {
    const uses: LimitUse[] = [];
    for (const { directoryUrl, limits } of this.cas.configured) {
      const used = await this.usage.findHighestUse(tx, directoryUrl, limits, now);
      for (const { kind, max } of limits) uses.push({ directoryUrl, limit: kind, used: used.get(kind) ?? 0, max });
    }
    return uses;
  }

  /** The orders are counted in the index `queued_orders_line` alone. */
  async readQueues(tx: Tx, now: Date): Promise<CaQueueReading[]> {
    const urls = this.cas.configured.map(({ directoryUrl }) => directoryUrl);
    const { rows } = await sql<Pick<CaQueueReading, 'directoryUrl' | 'count'>>`
      select u.url as "directoryUrl", (
        select count(*) from queued_orders q where q.directory_url = u.url and q.line = ${CA_LINE} and q.slot_given_at is null
      )::float8 as count
      from unnest(${urls}::text[]) as u (url)`.execute(tx);
    const pauses = await this.pauses.find(tx, [], now);
    return rows.map((row) => {
      const pausedUntil = pauses.ofAccount(row.directoryUrl);
      const pausedSeconds = pausedUntil === null ? 0 : (pausedUntil.getTime() - now.getTime()) / 1_000;
      const limit = this.cas.find(row.directoryUrl)?.limits.find(({ kind }) => kind === 'orders');
      const waitSeconds = limit === undefined ? 0 : (row.count * refillMs(limit)) / 1_000;
      return { ...row, waitSeconds, pausedSeconds };
    });
  }

  /** The same, in the lines of registered domains. */
  async readParked(tx: Tx): Promise<ParkedReading[]> {
    const urls = this.cas.configured.map(({ directoryUrl }) => directoryUrl);
    const { rows } = await sql<ParkedReading>`
      select u.url as "directoryUrl", (
        select count(*) from queued_orders q
        where q.directory_url = u.url and q.line > ${CA_LINE} and q.slot_given_at is null
      )::float8 as count
      from unnest(${urls}::text[]) as u (url)`.execute(tx);
    return rows;
  }
}
