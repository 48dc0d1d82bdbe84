import { Injectable } from '@nestjs/common';
import { caAccountId, isOfAccount, refillMs, type LimitKind } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { CaPausesRepository } from './ca-pauses.repository.js';
import { withOwnLimits } from './ca-selections.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { UsableAccounts } from './usable-accounts.js';

/** The highest use of a limit by one subject. */
export interface LimitUse {
  readonly directoryUrl: string;
  /** Empty where all accounts of the CA share the limit. */
  readonly account: string;
  readonly limit: LimitKind;
  readonly used: number;
  readonly max: number;
}

/** A configured account. */
export interface AccountReading {
  readonly directoryUrl: string;
  readonly account: string;
  /** Orders that wait for a slot. */
  readonly count: number;
  /** Until the last of them has one, at the pace that the CA allows. */
  readonly waitSeconds: number;
  readonly isUsable: boolean;
  /** Until the end of the pause that the CA asked for. */
  readonly pausedSeconds: number;
}

/** Orders below registered domains that are at a limit of a CA. */
export interface ParkedReading {
  readonly directoryUrl: string;
  readonly count: number;
}

/** Readings of the accounts at CAs. */
@Injectable()
export class CaReadingsRepository {
  constructor(
    private readonly accounts: UsableAccounts,
    private readonly usage: CaUsageRepository,
    private readonly pauses: CaPausesRepository,
  ) {}

  async readLimits(tx: Tx, now: Date): Promise<LimitUse[]> {
    const uses: LimitUse[] = [];
    for (const { account, limits } of withOwnLimits(this.accounts.configured)) {
      const used = await this.usage.findHighestUse(tx, account, limits, now);
      const { directoryUrl } = account;
      for (const { kind, max } of limits)
        uses.push({
          directoryUrl,
          account: isOfAccount(kind) ? account.account : '',
          limit: kind,
          used: used.get(kind) ?? 0,
          max,
        });
    }
    return uses;
  }

  /** The orders are counted in an index alone. */
  async readAccounts(tx: Tx, now: Date): Promise<AccountReading[]> {
    const { configured } = this.accounts;
    const urls = configured.map(({ directoryUrl }) => directoryUrl);
    const names = configured.map(({ account }) => account);
    const { rows } = await sql<Pick<AccountReading, 'directoryUrl' | 'account' | 'count'>>`
      select a.url as "directoryUrl", a.name as account, (
        select count(*) from queued_orders q
        where q.directory_url = a.url and q.account = a.name and q.slot_given_at is null
      )::float8 as count
      from unnest(${urls}::text[], ${names}::text[]) as a (url, name)`.execute(tx);
    const usable = new Set((await this.accounts.list()).map(caAccountId));
    const pauses = await this.pauses.find(tx, [], now);
    return rows.map((row) => {
      const pausedUntil = pauses.ofAccount(row);
      const pausedSeconds = pausedUntil === null ? 0 : (pausedUntil.getTime() - now.getTime()) / 1_000;
      const limit = this.accounts.find(row)?.limits.find(({ kind }) => kind === 'orders');
      const waitSeconds = limit === undefined ? 0 : (row.count * refillMs(limit)) / 1_000;
      return { ...row, waitSeconds, isUsable: usable.has(caAccountId(row)), pausedSeconds };
    });
  }

  /** The same, from the index `parked_orders_line`. */
  async readParked(tx: Tx): Promise<ParkedReading[]> {
    const urls = [...new Set(this.accounts.configured.map(({ directoryUrl }) => directoryUrl))];
    const { rows } = await sql<ParkedReading>`
      select u.url as "directoryUrl", (
        select count(*) from parked_orders p where p.directory_url = u.url and p.released_at is null
      )::float8 as count
      from unnest(${urls}::text[]) as u (url)`.execute(tx);
    return rows;
  }
}
