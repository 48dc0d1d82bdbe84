import { Inject, Injectable } from '@nestjs/common';
import { wildcardOf } from '@pets/contracts';
import type { Suspension } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { DATABASE } from '../platform/providers.js';

/** The wildcard of an organization that covers a name. */
export interface CoveringWildcard {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly suspensions: readonly Suspension[];
}

/** A wildcard that excluded a name. */
interface ExcludingWildcard {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
}

@Injectable()
export class WildcardExclusionsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The verified or live wildcard of the organization that covers a name; null without one. */
  async findCovering(organizationId: string, name: string, db: Database = this.db): Promise<CoveringWildcard | null> {
    const { rows } = await sql<CoveringWildcard>`
      select d.id, d.project_id as "projectId", d.name, ${suspensionsOfDomain} as suspensions from domains d
      where d.organization_id = ${organizationId} and d.name = ${wildcardOf(name) ?? null}
        and d.state in ('verified', 'live')`.execute(db);
    return rows[0] ?? null;
  }

  /** Excludes a name. The caller holds the lock of the project. @returns whether there is room, or it was excluded before */
  async insert(tx: Tx, wildcardId: string, name: string, limit: number): Promise<boolean> {
    const { rows } = await sql<{ others: bigint }>`
      select count(*) as others from wildcard_exclusions
      where domain_id = ${wildcardId} and name <> ${name}`.execute(tx);
    if (Number(rows[0]?.others ?? 0) >= limit) return false;
    await sql`
      insert into wildcard_exclusions (domain_id, name) values (${wildcardId}, ${name}) on conflict do nothing`.execute(
      tx,
    );
    return true;
  }

  /** @returns whether it was excluded */
  async delete(tx: Tx, wildcardId: string, name: string): Promise<boolean> {
    const { numDeletedRows } = await tx
      .deleteFrom('wildcard_exclusions')
      .where('domain_id', '=', wildcardId)
      .where('name', '=', name)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Lifts the exclusions of some names by wildcards of an organization. @returns these wildcards */
  async lift(tx: Tx, organizationId: string, names: readonly string[]): Promise<readonly ExcludingWildcard[]> {
    const { rows } = await sql<ExcludingWildcard>`
      delete from wildcard_exclusions e using domains w
      where w.id = e.domain_id and w.organization_id = ${organizationId} and e.name = any(${names})
      returning w.id, w.project_id as "projectId", e.name`.execute(tx);
    return rows;
  }

  /** Ids of the verified or live wildcards of any organization that exclude some names. */
  async listExcluding(tx: Tx, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    const { rows } = await sql<{ id: string }>`
      select distinct w.id from wildcard_exclusions e join domains w on w.id = e.domain_id
      where e.name = any(${names}) and w.state in ('verified', 'live') order by w.id`.execute(tx);
    return rows.map(({ id }) => id);
  }

  /** Ids of the projects whose verified or live wildcards cover a name, of any organization. */
  async listCoveringProjects(tx: Tx, name: string): Promise<readonly string[]> {
    const rows = await tx
      .selectFrom('domains')
      .select('project_id')
      .where('name', '=', wildcardOf(name) ?? '')
      .where('state', 'in', ['verified', 'live'])
      .execute();
    return rows.map((row) => row.project_id);
  }
}
