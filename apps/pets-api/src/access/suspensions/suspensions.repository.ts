import { Inject, Injectable } from '@nestjs/common';
import type { DomainState, SuspensionCause } from '@pets/contracts';
import { findWriteBlock, type Suspension } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { isUuid } from '../../platform/uuid.js';

/** For responses: the database writes times with an offset. */
export function presentSuspensions(suspensions: readonly Suspension[]): readonly Suspension[] {
  return suspensions.map(({ since, renewsUntil, ...suspension }) => ({
    ...suspension,
    since: toUtc(since),
    renewsUntil: renewsUntil === null ? null : toUtc(renewsUntil),
  }));
}

/** @throws RequestError `suspended` when the operator has suspended the target */
export function requireChangeable(suspensions: readonly Suspension[]): void {
  const block = findWriteBlock(suspensions);
  if (block !== undefined) throw suspended(block.scope, block.reason);
}

export function suspended(scope: Suspension['scope'], reason: string): RequestError {
  return new RequestError('suspended', `The ${scope} is suspended: ${reason}. Contact the operator.`);
}

function toUtc(time: string): string {
  return new Date(time).toISOString();
}

/** An organization, one project of it, or its domain of a name. */
export interface SuspensionTarget {
  readonly organizationId: string;
  readonly projectId?: string;
  readonly name?: string;
}

export interface NewSuspension {
  readonly cause: SuspensionCause;
  /** Shown to the owner. */
  readonly reason: string;
  /** Until when certificates are still renewed; null: not at all. */
  readonly renewsUntil: Date | null;
  /** The name that the operator gave. */
  readonly by: string | null;
}

/** A suspended domain with all its suspensions. */
export interface CoveredDomain {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly state: DomainState;
  readonly suspensions: readonly Suspension[];
}

interface ListedSuspension extends Suspension {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly name: string | null;
  readonly by: string | null;
}

interface FoundDomain {
  readonly organizationId: string;
  readonly name: string;
  /** Whether the domain is verified or live; one organization at a time can have that. */
  readonly holds: boolean;
}

const suspension = sql`jsonb_build_object(
  'scope', case when s.name is not null then 'domain' when s.project_id is not null then 'project' else 'organization' end,
  'cause', s.cause, 'reason', s.reason, 'since', s.since, 'renewsUntil', s.renews_until)`;

/** All suspensions of a domain `d`, oldest first. */
export const suspensionsOfDomain: RawBuilder<readonly Suspension[]> = sql`(
  select coalesce(jsonb_agg(${suspension} order by s.since, s.id), '[]') from suspensions s
  where s.organization_id = d.organization_id and (s.project_id is null or s.project_id = d.project_id)
    and (s.name is null or s.name = d.name))`;

/** The operator's reason for suspending an organization, for a statement that reads `organizations`; else null. */
export const organizationSuspension: RawBuilder<string | null> = sql`(
  select s.reason from suspensions s where s.organization_id = organizations.id and s.project_id is null
    and s.name is null and s.cause = 'operator')`;

@Injectable()
export class SuspensionsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The suspensions of some projects and their organizations, by project id. */
  async ofProjects(projectIds: readonly string[], db: Database = this.db): Promise<Map<string, readonly Suspension[]>> {
    const { rows } = await sql<{ id: string; suspensions: readonly Suspension[] }>`
      select p.id, jsonb_agg(${suspension} order by s.since, s.id) as suspensions
      from projects p join suspensions s on s.organization_id = p.organization_id
      where p.id = any(${projectIds}) and s.name is null and (s.project_id is null or s.project_id = p.id)
      group by p.id`.execute(db);
    return new Map(rows.map((row) => [row.id, row.suspensions]));
  }

  async ofOrganization(organizationId: string): Promise<readonly Suspension[]> {
    const { rows } = await sql<{ suspension: Suspension }>`
      select ${suspension} as suspension from suspensions s
      where s.organization_id = ${organizationId} and s.project_id is null and s.name is null
      order by s.since, s.id`.execute(this.db);
    return rows.map((row) => row.suspension);
  }

  /** Adds a suspension, or replaces the reason of one with the same cause. @returns whether it is new */
  async insert(tx: Tx, target: SuspensionTarget, { cause, ...given }: NewSuspension, now: Date): Promise<boolean> {
    const { rows } = await sql<{ isNew: boolean }>`
      insert into suspensions as s
        (organization_id, project_id, name, cause, reason, since, renews_until, suspended_by)
      values (${target.organizationId}, ${target.projectId ?? null}, ${target.name ?? null}, ${cause}, ${given.reason},
        ${now}, ${given.renewsUntil}, ${given.by})
      on conflict on constraint suspensions_once do update
      set reason = excluded.reason, renews_until = excluded.renews_until, suspended_by = excluded.suspended_by
      returning s.xmax = 0 as "isNew"`.execute(tx);
    return rows[0]?.isNew === true;
  }

  /** @returns whether there was one */
  async delete(tx: Tx, target: SuspensionTarget, cause: SuspensionCause): Promise<boolean> {
    const { numAffectedRows } = await sql`
      delete from suspensions
      where organization_id = ${target.organizationId} and cause = ${cause}
        and project_id is not distinct from ${target.projectId ?? null}
        and name is not distinct from ${target.name ?? null}`.execute(tx);
    return (numAffectedRows ?? 0n) > 0n;
  }

  /** Covered domains that are not removed, each with every suspension that covers it. */
  async listCovered(tx: Tx, { organizationId, projectId, name }: SuspensionTarget): Promise<CoveredDomain[]> {
    const { rows } = await sql<CoveredDomain>`
      select d.id, d.organization_id as "organizationId", d.project_id as "projectId", d.name, d.state,
        ${suspensionsOfDomain} as suspensions
      from domains d
      where d.organization_id = ${organizationId} and d.state <> 'removed'
        and (${projectId ?? null}::uuid is null or d.project_id = ${projectId ?? null})
        and (${name ?? null}::text is null or d.name = ${name ?? null})
      order by d.id`.execute(tx);
    return rows;
  }

  /** Covered projects, in lock order. */
  async listProjectIds(db: Database | Tx, target: SuspensionTarget): Promise<string[]> {
    const { organizationId, projectId, name } = target;
    const { rows } = await sql<{ id: string }>`
      select p.id from projects p
      where p.organization_id = ${organizationId} and (${projectId ?? null}::uuid is null or p.id = ${projectId ?? null})
        and (${name ?? null}::text is null or exists (
          select from domains d where d.project_id = p.id and d.name = ${name ?? null} and d.state <> 'removed'
        ))
      order by p.id`.execute(db);
    return rows.map(({ id }) => id);
  }

  /**
   * Domains with a name or id, one an organization: those that are not removed, and suspended names whose domain was
   * removed.
   */
  async findDomains(nameOrId: string, organizationId: string | null): Promise<FoundDomain[]> {
    const { rows } = await sql<FoundDomain>`
      select "organizationId", name, bool_or(holds) as holds from (
        select d.organization_id as "organizationId", d.name, d.state in ('verified', 'live') as holds
        from domain_claims c join domains d using (organization_id, name)
        where ${isUuid(nameOrId) ? sql`d.id = ${nameOrId}` : sql`c.name = ${nameOrId}`} and d.state <> 'removed'
        union all
        select s.organization_id, s.name, false from suspensions s where s.name = ${nameOrId}
      ) found
      where ${organizationId}::uuid is null or "organizationId" = ${organizationId}
      group by 1, 2 order by 1`.execute(this.db);
    return rows;
  }

  /** Newest first, at most `limit`; of one organization or, with null, of all. */
  async list(organizationId: string | null, limit: number): Promise<ListedSuspension[]> {
    const { rows } = await sql<Omit<ListedSuspension, keyof Suspension> & { suspension: Suspension }>`
      select s.organization_id as "organizationId", s.project_id as "projectId", s.name, s.suspended_by as "by",
        ${suspension} as suspension
      from suspensions s where ${organizationId}::uuid is null or s.organization_id = ${organizationId}
      order by s.since desc, s.id limit ${limit}`.execute(this.db);
    return rows.map(({ suspension: found, ...row }) => ({ ...row, ...found }));
  }
}
