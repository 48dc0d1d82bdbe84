import { Inject, Injectable } from '@nestjs/common';
import { displayName } from '@pets/contracts';
import {
  assignments,
  camelCase,
  notify,
  recordset,
  violatesUnique,
  type Database,
  type RecordColumns,
  type Tx,
} from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../platform/providers.js';
import { selectDomains, writtenColumns, type DomainRow } from './domain-row.js';

@Injectable()
export class DomainsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Domains that are not removed, in the order of their creation. */
  async list(projectId: string, db: Database = this.db): Promise<DomainRow[]> {
    return this.select(db, sql`where d.project_id = ${projectId} and d.state <> 'removed' order by d.created_at, d.id`);
  }

  /** By id or name; of a name that was added several times, the newest. @throws RequestError `not_found` */
  async get(projectId: string, idOrName: string, db: Database = this.db): Promise<DomainRow> {
    const key = idOrName.toLowerCase();
    const [row] = await this.select(
      db,
      sql`where d.project_id = ${projectId} and (d.id::text = ${key} or d.name = ${key} or d.unicode_name = ${key}) order by d.created_at desc limit 1`,
    );
    if (row === undefined) throw new RequestError('not_found', 'There is no such domain in this project.');
    return row;
  }

  /** By domain id: its project, and the project that holds the name which it waits for. */
  async findProjects(domainIds: readonly string[]): Promise<Map<string, { own: string; holder: string | null }>> {
    const { rows } = await sql<{ id: string; own: string; holder: string | null }>`
      select d.id, d.project_id as own, (
        select h.project_id from domains h
        where d.state = 'awaiting_dns' and h.name = d.name and h.id <> d.id and h.state in ('verified', 'live')
      ) as holder
      from domains d where d.id = any(${domainIds})`.execute(this.db);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The verified or live domains of some names, by name. */
  async findHolders(tx: Tx, names: readonly string[]): Promise<Map<string, DomainRow>> {
    if (names.length === 0) return new Map();
    const rows = await this.select(tx, sql`where d.name = any(${names}) and d.state in ('verified', 'live')`);
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** Domains by id, read under the locks of their projects. */
  async listLocked(tx: Tx, ids: readonly string[]): Promise<Map<string, DomainRow>> {
    return new Map((await this.select(tx, sql`where d.id = any(${ids})`)).map((row) => [row.id, row]));
  }

  async getLocked(tx: Tx, id: string): Promise<DomainRow> {
    const row = (await this.listLocked(tx, [id])).get(id);
    if (row === undefined) throw new Error(`domain ${id} is gone`);
    return row;
  }

  /** Creates the claim of (organization, name), whose tokens never change. */
  async claim(
    tx: Tx,
    claim: { organizationId: string; name: string; targetToken: string; ownershipToken: string },
  ): Promise<void> {
    await tx
      .insertInto('domain_claims')
      .values({
        organization_id: claim.organizationId,
        name: claim.name,
        target_token: claim.targetToken,
        ownership_token: claim.ownershipToken,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
      .execute();
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

  /** @throws RequestError `domain_exists` when the organization has the name already, in any project */
  async insert(
    tx: Tx,
    domain: {
      organizationId: string;
      projectId: string;
      name: string;
      unicodeName: string;
      apexName: string;
      now: Date;
    },
  ): Promise<string> {
    try {
      const { id } = await tx
        .insertInto('domains')
        .values({
          organization_id: domain.organizationId,
          project_id: domain.projectId,
          name: domain.name,
          unicode_name: domain.unicodeName,
          apex_name: domain.apexName,
          created_at: domain.now,
          generation_began_at: domain.now,
          requested_at: domain.now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    } catch (error) {
      if (violatesUnique(error, 'domains_once_an_organization')) {
        throw RequestError.ofField(
          'domain_exists',
          'name',
          `${displayName(domain)} is already a domain of your organization.`,
        );
      }
      throw error;
    }
  }

  /** Stores the feed version that ended the routes of removed domains. */
  async setRemovedVersion(tx: Tx, ids: readonly string[], version: number): Promise<void> {
    await sql`update domains set removed_version = ${version} where id = any(${ids})`.execute(tx);
  }

  /**
   * Writes rows back that were read under their projects' locks. A quiet change has no line of history; the next
   * `change_number` of its project announces it to the readers of the project's events.
   */
  async updateAll(tx: Tx, rows: readonly WrittenRow[]): Promise<void> {
    await sql`
      with n as (
        select * from ${recordset('n', sentFields, rows)}
      ), counted as (
        update projects p set change_number = p.change_number + 1
        where p.id in (select "projectId" from n where "isQuiet")
        returning p.id, p.change_number
      )
      update domains d set ${assignments(Object.keys(writtenColumns), 'n')},
        change_number = coalesce(c.change_number, d.change_number)
      from n left join counted c on n."isQuiet" and c.id = n."projectId"
      where d.id = n.id`.execute(tx);
    if (rows.some(({ isQuiet }) => isQuiet)) await notify(tx, 'project_events');
  }

  private async select(db: Database | Tx, rest: RawBuilder<unknown>): Promise<DomainRow[]> {
    return (await sql<DomainRow>`${selectDomains} ${rest}`.execute(db)).rows;
  }
}

/** A row as it is to be, and whether the change has no line of history. */
export type WrittenRow = DomainRow & { readonly isQuiet: boolean };

const sentFields: RecordColumns<WrittenRow> = {
  id: 'uuid',
  projectId: 'uuid',
  isQuiet: 'boolean',
  ...Object.fromEntries(Object.entries(writtenColumns).map(([column, type]) => [camelCase(column), type])),
};
