/**
 * The accounts that orders may use now. The default ones always may. The worker needs the key of any other, so that one is
 * used only while all workers that run announce it with the same key. Configured accounts that are not usable keep their
 * waiting orders for a while: a worker that has just started has not announced its accounts yet.
 */
import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_ACCOUNT, WORKER_SILENT_AFTER_MS, type AnnouncedAccount } from '@pets/contracts';
import {
  caAccountId,
  caAccounts,
  chooseUsable,
  type AccountReadiness,
  type CaAccount,
  type CaAccountRef,
  type UsableAccount,
} from '@pets/domains';
import type { Messaging } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE, MESSAGING } from '../platform/providers.js';

/** How long an answer is believed. */
const BELIEVED_MS = 1_000;

/** Orders that wait for an account that cannot be used for so long go to another. */
const RELEASED_AFTER_MS = 5 * 60_000;

/** Rows of stopped workers are deleted after this. */
const FORGET_SECONDS = 24 * 60 * 60;

@Injectable()
export class UsableAccounts {
  /** Every configured account. */
  readonly configured: readonly CaAccount[];
  private believed: { readonly accounts: Promise<readonly UsableAccount[]>; readonly untilMs: number } | undefined;
  /** Since when configured accounts are not usable, by id. */
  private readonly unusableSinceMs = new Map<string, number>();

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ACME_DIRECTORY_URLS' | 'ACME_LIMITS' | 'ACME_ACCOUNTS'>,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(MESSAGING) private readonly messaging: Pick<Messaging, 'countWorkers'>,
  ) {
    this.configured = caAccounts(config.ACME_DIRECTORY_URLS, config.ACME_ACCOUNTS, config.ACME_LIMITS);
  }

  find(ref: CaAccountRef): CaAccount | undefined {
    return this.configured.find((account) => caAccountId(account) === caAccountId(ref));
  }

  /** At least the default accounts, in the configured order. */
  list(): Promise<readonly UsableAccount[]> {
    const nowMs = performance.now();
    if (this.believed === undefined || nowMs >= this.believed.untilMs) {
      const accounts = this.read();
      this.believed = { accounts, untilMs: nowMs + BELIEVED_MS };
      accounts.catch(() => (this.believed = undefined));
    }
    return this.believed.accounts;
  }

  /** `unready` for a short time after an account has become unusable; `gone` after that, or if it is not configured. */
  async stateOf(ref: CaAccountRef): Promise<'usable' | 'unready' | 'gone'> {
    const id = caAccountId(ref);
    const usable = await this.list();
    if (usable.some((account) => caAccountId(account) === id)) return 'usable';
    const sinceMs = this.unusableSinceMs.get(id) ?? -Infinity;
    return performance.now() - sinceMs < RELEASED_AFTER_MS ? 'unready' : 'gone';
  }

  /** Stores what a worker announced, unless a later announcement of it was stored. @returns whether this is the newest */
  async remember(workerId: string, accounts: readonly AnnouncedAccount[], announcedAt: Date): Promise<boolean> {
    const { rows } = await sql`
      insert into acme_workers as w (worker_id, accounts, announced_at)
      values (${workerId}, ${JSON.stringify(accounts)}::jsonb, least(${announcedAt}, now()))
      on conflict (worker_id) do update set accounts = excluded.accounts, announced_at = excluded.announced_at
      where w.announced_at <= excluded.announced_at
      returning worker_id`.execute(this.db);
    await sql`
      delete from acme_workers where announced_at < now() - make_interval(secs => ${FORGET_SECONDS})`.execute(this.db);
    return rows.length > 0;
  }

  private async read(): Promise<readonly UsableAccount[]> {
    const hasNamed = this.configured.some(({ account }) => account !== DEFAULT_ACCOUNT);
    const usable = hasNamed
      ? chooseUsable(this.configured, await this.readReadiness())
      : this.configured.map((account) => ({ ...account, thumbprint: null }));
    const ids = new Set(usable.map(caAccountId));
    for (const id of this.configured.map(caAccountId)) {
      if (ids.has(id)) this.unusableSinceMs.delete(id);
      else if (!this.unusableSinceMs.has(id)) this.unusableSinceMs.set(id, performance.now());
    }
    return usable;
  }

  private async readReadiness(): Promise<AccountReadiness> {
    const [workers, connectedWorkers] = await Promise.all([
      this.db
        .selectFrom('acme_workers')
        .select('accounts')
        .where('announced_at', '>', sql<Date>`now() - make_interval(secs => ${WORKER_SILENT_AFTER_MS / 1_000}::float8)`)
        .execute(),
      this.messaging.countWorkers('certificates').catch(() => null),
    ]);
    return { workers: workers.map(({ accounts }) => accounts), connectedWorkers };
  }
}
