import { Inject, Injectable } from '@nestjs/common';
import type { Metadata } from '@pets/contracts';
import { storedNameOf } from '@pets/domains';
import {
  assignments,
  camelCase,
  notify,
  recordset,
  type Database,
  type RecordColumns,
  type Tx,
} from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../platform/providers.js';
import { isUuid } from '../platform/uuid.js';
import { counterpartOf } from './related-names.js';
import { selectDomains, writtenColumns, type DomainRow } from './domain-row.js';

@Injectable()
export class DomainsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Domains by id, in any order. */
  listByIds(ids: readonly string[]): Promise<DomainRow[]> {
    return this.select(this.db, sql`where d.id = any(${ids})`);
  }

  /** Names of a project, without those of removed domains. */
  async listNames(projectId: string, db: Database = this.db): Promise<ReadonlySet<string>> {
    const rows = await db
      .selectFrom('domains')
      .select('name')
      .where('project_id', '=', projectId)
      .where('state', '<>', 'removed')
      .execute();
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Reads a domain by id or name; of a name that was added several times, the newest. @throws RequestError `not_found`
   */
  async get(projectId: string, idOrName: string, db: Database = this.db): Promise<DomainRow> {
    const key = idOrName.toLowerCase();
    const isNamed = isUuid(key)
      ? sql`d.id = ${key}`
      : sql`d.name = ${storedNameOf(key) ?? key} and d.organization_id = (select organization_id from projects where id = ${projectId})`;
    const [row] = await this.select(
      db,
      sql`where d.project_id = ${projectId} and ${isNamed} order by d.created_at desc limit 1`,
    );
    if (row === undefined) throw noSuchDomain();
    return row;
  }

  /**
   * Domains of a project by some ids and names; of a name that was added several times, the newest.
   * @returns ids by the given id or name
   */
  async findIds(
    { id: projectId, organizationId }: { readonly id: string; readonly organizationId: string },
    { ids, names }: { readonly ids: readonly string[]; readonly names: readonly string[] },
    db: Database = this.db,
  ): Promise<ReadonlyMap<string, string>> {
    const { rows } = await sql<{ key: string; id: string }>`
      select id::text as key, id from domains where id = any(${ids}) and project_id = ${projectId}
      union all
      select name, id from domains
      where organization_id = ${organizationId} and name = any(${names}) and state <> 'removed'
        and project_id = ${projectId}`.execute(db);
    const found = new Map(rows.map(({ key, id }) => [key, id]));
    const missing = names.filter((name) => !found.has(name));
    if (missing.length === 0) return found;
    const { rows: removed } = await sql<{ name: string; id: string }>`
      select distinct on (name) name, id from domains
      where project_id = ${projectId} and name = any(${missing}) order by name, created_at desc`.execute(db);
    return new Map([...found, ...removed.map(({ name, id }) => [name, id] as const)]);
  }

  /** Returns for each domain its project, and the project that holds the name which it waits for. */
  async findProjects(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, readonly string[]>> {
    const { rows } = await sql<{ id: string; own: string; holder: string | null }>`
      select d.id, d.project_id as own, (
        select h.project_id from domains h
        where d.state = 'awaiting_dns' and h.name = d.name and h.id <> d.id and h.state in ('verified', 'live')
      ) as holder
      from domains d where d.id = any(${domainIds})`.execute(db);
    return new Map(rows.map(({ id, own, holder }) => [id, holder === null ? [own] : [own, holder]]));
  }

  /** The verified or live domains of some names, by name. */
  async findHolders(tx: Tx, names: readonly string[]): Promise<Map<string, DomainRow>> {
    if (names.length === 0) return new Map();
    const rows = await this.select(tx, sql`where d.name = any(${names}) and d.state in ('verified', 'live')`);
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** Ids of the domains of some names that are prepared for a switch. */
  async listPrepared(tx: Tx, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    const rows = await tx
      .selectFrom('domains')
      .select('id')
      .where('name', 'in', names)
      .where('state', '=', 'awaiting_dns')
      .where('prepared_at', 'is not', null)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Domains by id, read under the locks of their projects. */
  async listLocked(tx: Tx, ids: readonly string[]): Promise<Map<string, DomainRow>> {
    return new Map((await this.select(tx, sql`where d.id = any(${ids})`)).map((row) => [row.id, row]));
  }

  /** A domain that was in a project before the lock. @throws RequestError `not_found` when it has moved to another one */
  async getLocked(tx: Tx, projectId: string, id: string): Promise<DomainRow> {
    const row = (await this.listLocked(tx, [id])).get(id);
    if (row === undefined) throw new Error(`domain ${id} is gone`);
    if (row.projectId !== projectId) throw noSuchDomain();
    return row;
  }

  /** Creates the claims of an organization on names, whose tokens never change. */
  async claimAll(tx: Tx, organizationId: string, claims: readonly NewClaim[]): Promise<void> {
    await sql`
      insert into domain_claims (organization_id, name, target_token, ownership_token)
      select ${organizationId}, c.name, c."targetToken", c."ownershipToken"
      from ${recordset('c', newClaimColumns, claims)} order by c.name
      -- Locks a row that may be old enough to be deleted.
      on conflict (organization_id, name) do update set released_at = null
        where domain_claims.released_at is not null`.execute(tx);
  }

  async markClaimsVerified(
    tx: Tx,
    verified: readonly { readonly domain: DomainRow; readonly now: Date }[],
  ): Promise<void> {
    if (verified.length === 0) return;
    await sql`
      update domain_claims c set verified_at = v.at
      from unnest(
        ${verified.map(({ domain }) => domain.organizationId)}::uuid[],
        ${verified.map(({ domain }) => domain.name)}::text[],
        ${verified.map(({ now }) => now)}::timestamptz[]
      ) as v (organization_id, name, at)
      where c.organization_id = v.organization_id and c.name = v.name`.execute(tx);
  }

  /**
   * Inserts new domains of a project. In the order of their names, as the claims: transactions with the same names wait for
   * each other and do not deadlock. A wildcard and its base get one delegation token, since a zone has only one CNAME for both.
   * @returns ids by name, without names that the organization has already, in any project
   */
  async insertAll(
    tx: Tx,
    { id: projectId, organizationId }: { readonly id: string; readonly organizationId: string },
    domains: readonly (NewDomainRow & { readonly delegationToken: string })[],
    { now, requestedAt }: { readonly now: Date; readonly requestedAt: Date },
  ): Promise<ReadonlyMap<string, string>> {
    const { rows } = await sql<{ id: string; name: string }>`
      insert into domains
        (organization_id, project_id, name, unicode_name, apex_name, external_id, metadata, created_at,
         generation_began_at, requested_at, delegation_token)
      select ${organizationId}, ${projectId}, n.name, n."unicodeName", n."apexName", n."externalId", n.metadata,
        ${now}, ${now}, ${requestedAt}, coalesce((
          select d.delegation_token from domains d where d.organization_id = ${organizationId}
            and d.name = ${counterpartOf(sql`n.name`)} and d.state <> 'removed'
        ), n."delegationToken")
      from ${recordset('n', newDomainColumns, domains)} order by n.name
      on conflict (organization_id, name) where state <> 'removed' do nothing
      returning id, name`.execute(tx);
    return new Map(rows.map(({ id, name }) => [name, id]));
  }

  /** Lets additions of wildcards wait for all other additions of the organization: a base and its wildcard share a token. */
  async lockAdditions(tx: Tx, organizationId: string, hasWildcard: boolean): Promise<void> {
    const key = sql`${ADDITIONS_LOCK}, hashtext(${organizationId})`;
    const locked = hasWildcard ? sql`pg_advisory_xact_lock(${key})` : sql`pg_advisory_xact_lock_shared(${key})`;
    await sql`select ${locked}`.execute(tx);
  }

  /** Returns those names that an organization has, in any project, by name. */
  async findKept(tx: Tx, organizationId: string, names: readonly string[]): Promise<ReadonlyMap<string, KeptDomain>> {
    const { rows } = await sql<KeptDomain & { name: string }>`
      select name, id, project_id as "projectId" from domains
      where organization_id = ${organizationId} and name = any(${names}) and state <> 'removed'`.execute(tx);
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** Stores what the owner keeps with a domain, and announces the change to the readers of the project's events. */
  async setLabels(
    tx: Tx,
    { id, projectId, externalId, metadata }: Pick<DomainRow, 'id' | 'projectId' | 'externalId' | 'metadata'>,
  ): Promise<void> {
    await sql`
      with ${announced(sql`select ${id}::uuid as id, ${projectId}::uuid as "projectId"`)}
      update domains set external_id = ${externalId}, metadata = nullif(${JSON.stringify(metadata ?? {})}::jsonb, '{}')
      where id = ${id}`.execute(tx);
    await notify(tx, 'project_events');
  }

  /** Announces to the readers of the project's events what other rows say about a domain. Callers notify them. */
  async announce(tx: Tx, { id, projectId }: Pick<DomainRow, 'id' | 'projectId'>): Promise<void> {
    await sql`with ${announced(sql`select ${id}::uuid as id, ${projectId}::uuid as "projectId"`)} select`.execute(tx);
  }

  /** Stores the channel that domains serve; null for the active deployment. */
  async setChannel(tx: Tx, ids: readonly string[], channel: string | null): Promise<void> {
    await tx.updateTable('domains').set({ channel }).where('id', 'in', ids).execute();
  }

  /** Stores the feed version that ended the routes of removed domains. */
  async setRemovedVersion(tx: Tx, ids: readonly string[], version: number): Promise<void> {
    await sql`
      update domains set removed_version = ${version}, traffic_stopped_at = null where id = any(${ids})`.execute(tx);
  }

  /**
   * Writes rows back that were read under their projects' locks. A quiet change has no line of history; the next
   * `change_number` of its project announces it to the readers of the project's events.
   */
  async updateAll(tx: Tx, rows: readonly WrittenRow[]): Promise<void> {
    const hasQuiet = rows.some(({ isQuiet }) => isQuiet);
    await sql`
      with n as (
        select * from ${recordset('n', sentFields, rows)}
      )${hasQuiet ? sql`, ${announced(sql`select id, "projectId" from n where "isQuiet"`)}` : sql``}
      update domains d set ${assignments(Object.keys(writtenColumns), 'n')} from n where d.id = n.id`.execute(tx);
    if (hasQuiet) await notify(tx, 'project_events');
  }

  /** Returns those values that are the tokens of other organizations for the name of a domain. */
  async listProofsOfOthers(tx: Tx, { name, organizationId }: DomainRow, values: readonly string[]): Promise<string[]> {
    if (values.length === 0) return [];
    const { rows } = await sql<{ token: string }>`
      select ownership_token as token from domain_claims
      where name = ${name} and organization_id <> ${organizationId} and ownership_token = any(${values})
      order by ownership_token`.execute(tx);
    return rows.map(({ token }) => token);
  }

  private async select(db: Database | Tx, rest: RawBuilder<unknown>): Promise<DomainRow[]> {
    return (await sql<DomainRow>`${selectDomains} ${rest}`.execute(db)).rows;
  }
}

/** Parts of a `with` that write the next `change_number` of the projects of some domains, selected as `id` and `projectId`. */
function announced(changes: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`changed as (${changes}), counted as (
      update projects p set change_number = p.change_number + 1 where p.id in (select "projectId" from changed)
      returning p.id, p.change_number
    ), announced as (
      insert into domain_changes (domain_id, project_id, number)
      select d.id, c.id, c.change_number from changed d join counted c on c.id = d."projectId"
      on conflict (domain_id) do update set project_id = excluded.project_id, number = excluded.number
    )`;
}

/** The number has no meaning. */
const ADDITIONS_LOCK = 7_310_418;

export function noSuchDomain(): RequestError {
  return new RequestError('not_found', 'There is no such domain in this project.');
}

/** The claim of a name with its tokens. */
interface NewClaim {
  readonly name: string;
  readonly targetToken: string;
  readonly ownershipToken: string;
}

/** A domain to add. */
export interface NewDomainRow {
  readonly name: string;
  readonly unicodeName: string;
  readonly apexName: string;
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** A domain that is not removed, and its project. */
export interface KeptDomain {
  readonly id: string;
  readonly projectId: string;
}

const newClaimColumns = { name: 'text', targetToken: 'text', ownershipToken: 'text' } as const;
const newDomainColumns = {
  name: 'text',
  unicodeName: 'text',
  apexName: 'text',
  delegationToken: 'text',
  externalId: 'text',
  metadata: 'jsonb',
} as const;

/** A row as it is to be, and whether the change has no line of history. */
export type WrittenRow = DomainRow & { readonly isQuiet: boolean };

const sentFields: RecordColumns<WrittenRow> = {
  id: 'uuid',
  projectId: 'uuid',
  isQuiet: 'boolean',
  ...Object.fromEntries(Object.entries(writtenColumns).map(([column, type]) => [camelCase(column), type])),
};
