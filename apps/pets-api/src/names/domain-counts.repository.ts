import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';

/** Domains that are not removed. `misconfigured` ones are among the others. */
export interface StateCounts {
  readonly awaitingDns: number;
  readonly verified: number;
  readonly live: number;
  readonly misconfigured: number;
}

/**
 * How many domains projects have. Triggers on `domains` keep the row of a project, whose lock every change of a state
 * holds. A project gets its row when its first domain is added, or the first after the migration.
 */
@Injectable()
export class DomainCountsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async ofProject(projectId: string, db: Database | Tx = this.db): Promise<StateCounts> {
    return (await this.find(db, projectId)) ?? (await counted(projectId).execute(db)).rows[0] ?? none;
  }

  /** For a project whose lock the transaction holds: nothing changes the counts before it ends. */
  async readLocked(tx: Tx, projectId: string): Promise<StateCounts> {
    const found = await this.find(tx, projectId);
    if (found !== undefined) return found;
    const { rows } = await sql<StateCounts>`
      insert into domain_counts (project_id, organization_id, awaiting_dns, verified, live, misconfigured)
      select p.id, p.organization_id, n."awaitingDns", n.verified, n.live, n.misconfigured
      from projects p cross join (${counted(projectId)}) n where p.id = ${projectId}
      returning awaiting_dns as "awaitingDns", verified, live, misconfigured`.execute(tx);
    return rows[0] ?? none;
  }

  /** Domains of an organization: of all its projects, and of the one that has the most. */
  async ofOrganization(organizationId: string): Promise<{ readonly total: number; readonly most: number }> {
    // A project without a row has at most a few domains, of the time before there were counts.
    const { rows } = await sql<{ total: number; most: number }>`
      select coalesce(sum(kept), 0)::integer as total, coalesce(max(kept), 0)::integer as most
      from (
        select coalesce(
          c.awaiting_dns + c.verified + c.live,
          (select count(*) from domains d where d.project_id = p.id and d.state <> 'removed')
        ) as kept
        from projects p left join domain_counts c on c.project_id = p.id
        where p.organization_id = ${organizationId}
      ) as of_project`.execute(this.db);
    return rows[0] ?? { total: 0, most: 0 };
  }

  private async find(db: Database | Tx, projectId: string): Promise<StateCounts | undefined> {
    return db
      .selectFrom('domain_counts')
      .select(['awaiting_dns as awaitingDns', 'verified', 'live', 'misconfigured'])
      .where('project_id', '=', projectId)
      .executeTakeFirst();
  }
}

/** Domains that count against the limit of a project. */
export function keptOf({ awaitingDns, verified, live }: StateCounts): number {
  return awaitingDns + verified + live;
}

const none: StateCounts = { awaitingDns: 0, verified: 0, live: 0, misconfigured: 0 };

const counted = (projectId: string) => sql<StateCounts>`
  select count(*) filter (where state = 'awaiting_dns')::integer as "awaitingDns",
    count(*) filter (where state = 'verified')::integer as verified,
    count(*) filter (where state = 'live')::integer as live,
    count(*) filter (where misconfigured)::integer as misconfigured
  from domains where project_id = ${projectId} and state <> 'removed'`;
