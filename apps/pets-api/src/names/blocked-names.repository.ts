import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';

export interface BlockedName {
  readonly name: string;
  /** Whether every name below it is blocked as well. */
  readonly includesSubdomains: boolean;
  /** Shown to an owner who tries to add it. */
  readonly reason: string;
  readonly by: string | null;
  readonly since: Date;
}

/** A domain of an organization, by name. */
export interface NamedDomain {
  readonly organizationId: string;
  readonly name: string;
}

/** Advisory lock between adding and blocking names; the number has no meaning. */
const BLOCKING_LOCK = 7_310_417;

const columns = ['name', 'includes_subdomains as includesSubdomains', 'reason', 'blocked_by as by', 'since'] as const;

@Injectable()
export class BlockedNamesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * The blocks of some names, by name. No name can be blocked until the transaction ends, so a later block finds the domains
   * that are added now.
   */
  async findBlocks(tx: Tx, names: readonly string[]): Promise<ReadonlyMap<string, BlockedName>> {
    await sql`select pg_advisory_xact_lock_shared(${BLOCKING_LOCK})`.execute(tx);
    const above = [...new Set(names.flatMap(withNamesAbove))];
    const blocks = await tx
      .selectFrom('blocked_names')
      .select(columns)
      .where(sql<boolean>`name = any(${above})`)
      .execute();
    const byName = new Map(blocks.map((block) => [block.name, block]));
    return new Map(
      names.flatMap((name) => {
        const [block] = withNamesAbove(name).flatMap((each) => blockFor(name, byName.get(each)));
        return block === undefined ? [] : [[name, block]];
      }),
    );
  }

  /** The block of a name, or of a name above it. */
  async find(db: Database | Tx, name: string): Promise<BlockedName | null> {
    const row = await db
      .selectFrom('blocked_names')
      .select(columns)
      .where('name', 'in', withNamesAbove(name))
      .where((eb) => eb.or([eb('name', '=', name), eb('includes_subdomains', '=', true)]))
      .limit(1)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Blocks a name, or replaces the reason of its block. @returns whether the block is new */
  async insert(block: BlockedName): Promise<boolean> {
    return this.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${BLOCKING_LOCK})`.execute(tx);
      const { rows } = await sql<{ isNew: boolean }>`
        insert into blocked_names as b (name, includes_subdomains, reason, blocked_by, since)
        values (${block.name}, ${block.includesSubdomains}, ${block.reason}, ${block.by}, ${block.since})
        on conflict (name) do update set includes_subdomains = excluded.includes_subdomains,
          reason = excluded.reason, blocked_by = excluded.blocked_by
        returning b.xmax = 0 as "isNew"`.execute(tx);
      return rows[0]?.isNew === true;
    });
  }

  /** @returns whether it was blocked */
  async delete(name: string): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('blocked_names').where('name', '=', name).executeTakeFirst();
    return numDeletedRows > 0n;
  }

  async list(limit: number): Promise<BlockedName[]> {
    return this.db.selectFrom('blocked_names').select(columns).orderBy('name').limit(limit).execute();
  }

  /** Domains with a name, and those below it where `includesSubdomains`, that are not removed. */
  async listDomains(name: string, includesSubdomains: boolean): Promise<NamedDomain[]> {
    const prefix = `${reversed(name)}.`.replaceAll(/[\\%_]/g, '\\$&');
    const { rows } = await sql<NamedDomain>`
      select d.organization_id as "organizationId", d.name
      from domain_claims c join domains d using (organization_id, name)
      where (c.name = ${name} ${includesSubdomains ? sql`or reverse(c.name) like ${`${prefix}%`}` : sql``})
        and d.state <> 'removed'
      order by 2, 1`.execute(this.db);
    return rows;
  }

  /** Domains that are suspended because a name is blocked: the name and those below it. */
  async listSuspended(name: string): Promise<NamedDomain[]> {
    const { rows } = await sql<NamedDomain>`
      select organization_id as "organizationId", name from suspensions
      where cause = 'blocked_name' and (name = ${name} or right(name, ${name.length + 1}) = ${`.${name}`})
      order by 2, 1`.execute(this.db);
    return rows;
  }
}

/** A name and all names above it. */
function withNamesAbove(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

function blockFor(name: string, block: BlockedName | undefined): BlockedName[] {
  return block !== undefined && (block.name === name || block.includesSubdomains) ? [block] : [];
}

function reversed(text: string): string {
  return text.split('').reverse().join('');
}
