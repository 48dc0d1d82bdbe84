import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { MAX_PUBLIC_ADDRESSES } from '@pets/contracts';
import { expectedAddresses, offeredAddresses, type PublicAddress } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { BackgroundTasks } from '../platform/background-tasks.js';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';

/** A listed address, as the operator sees it. */
export interface ListedAddress extends PublicAddress {
  readonly addedAt: Date;
}

/** No more domains of an address are counted. */
const MAX_COUNTED = 10_000;

@Injectable()
export class PublicAddressesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** All of them, in order. */
  async list(db: Database | Tx = this.db): Promise<ListedAddress[]> {
    return db
      .selectFrom('public_addresses')
      .select(['address', 'retiring_since as retiringSince', 'added_at as addedAt'])
      .orderBy('address')
      .execute();
  }

  /** Lists addresses while none are listed. @returns whether it did */
  async insertFirst(addresses: readonly string[]): Promise<boolean> {
    return this.db.transaction().execute(async (tx) => {
      await lock(tx);
      if ((await this.list(tx)).length > 0) return false;
      await sql`insert into public_addresses (address) select unnest(${addresses}::inet[])
        on conflict do nothing`.execute(tx);
      return true;
    });
  }

  /**
   * Lists an address, or offers a retiring one again.
   * @returns `full`: there are too many
   */
  async addAddress(address: string): Promise<'added' | 'restored' | 'exists' | 'full'> {
    return this.db.transaction().execute(async (tx) => {
      await lock(tx);
      const known = await findOne(tx, address);
      if (known === null) {
        if ((await this.list(tx)).length >= MAX_PUBLIC_ADDRESSES) return 'full';
        await sql`insert into public_addresses (address) values (${address}::inet)`.execute(tx);
        return 'added';
      }
      if (known.retiringSince === null) return 'exists';
      await sql`update public_addresses set retiring_since = null where address = ${address}::inet`.execute(tx);
      return 'restored';
    });
  }

  /** Offers an address no longer. @returns since when it is retiring; null if it is not listed */
  async retire(address: string, now: Date): Promise<Date | null> {
    const { rows } = await sql<{ since: Date }>`
      update public_addresses set retiring_since = coalesce(retiring_since, ${now}) where address = ${address}::inet
      returning retiring_since as since`.execute(this.db);
    return rows[0]?.since ?? null;
  }

  /** @returns whether it was listed */
  async delete(address: string): Promise<boolean> {
    const { numAffectedRows } = await sql`delete from public_addresses where address = ${address}::inet`.execute(
      this.db,
    );
    return numAffectedRows === 1n;
  }

  find(address: string): Promise<ListedAddress | null> {
    return findOne(this.db, address);
  }

  /** The domains that showed an address in their last check, removed ones left out; 10000 for more. */
  async countDomains(address: string, db: Database | Tx = this.db): Promise<number> {
    const { rows } = await sql<{ count: string }>`
      select count(*)::text as count from (
        select from domains
        where matched_addresses is not null and state <> 'removed' and matched_addresses @> array[${address}::inet]
        limit ${MAX_COUNTED}
      ) d`.execute(db);
    return Number(rows[0]?.count ?? 0);
  }
}

/** The number of addresses is bounded, so additions wait for each other. */
async function lock(tx: Tx): Promise<void> {
  await sql`lock table public_addresses in share row exclusive mode`.execute(tx);
}

async function findOne(db: Database | Tx, address: string): Promise<ListedAddress | null> {
  const { rows } = await sql<ListedAddress>`
    select address, retiring_since as "retiringSince", added_at as "addedAt" from public_addresses
    where address = ${address}::inet`.execute(db);
  return rows[0] ?? null;
}

/** A change is known to every replica after this. */
const REFRESH_MS = 5_000;

/**
 * The public addresses of the platform, in memory: every check and every presented domain needs them. The table is the only
 * source of those that are offered; the setting is its first content.
 */
@Injectable()
export class PublicAddresses implements OnModuleInit {
  #listed: readonly PublicAddress[] = [];
  #expected = expectedAddresses([]);
  #offered: readonly string[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PUBLIC_ADDRESSES'>,
    private readonly repository: PublicAddressesRepository,
    private readonly tasks: BackgroundTasks,
  ) {}

  async onModuleInit(): Promise<void> {
    const { PUBLIC_ADDRESSES: first } = this.config;
    if (first.length > 0) await this.repository.insertFirst(first);
    await this.refresh();
    this.tasks.repeat({
      everyMs: REFRESH_MS,
      failure: 'public addresses not read',
      run: () => this.refresh(),
    });
  }

  async refresh(): Promise<void> {
    this.#listed = await this.repository.list();
    this.#expected = expectedAddresses(this.#listed);
    this.#offered = offeredAddresses(this.#expected);
  }

  get listed(): readonly PublicAddress[] {
    return this.#listed;
  }

  /** The part of a check's expectation: which addresses are ours. */
  get expected(): ReturnType<typeof expectedAddresses> {
    return this.#expected;
  }

  /** Addresses that owners may put into records. */
  get offered(): readonly string[] {
    return this.#offered;
  }
}
