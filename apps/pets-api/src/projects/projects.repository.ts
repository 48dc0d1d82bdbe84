import { Inject, Injectable } from '@nestjs/common';
import type { DomainConfig, Hsts, ListProjectsQuery, NewProject, TrailingSlash } from '@pets/contracts';
import { inTransaction, recordset, violatesUnique, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type SqlBool } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { containsText, byCreation, findPage, readPage } from '../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../http/paging/pages.js';
import { ProjectQueues } from '../platform/project-queues.js';
import { DATABASE } from '../platform/providers.js';

export interface ProjectRow {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly slug: string;
  readonly domainConfig: DomainConfig;
  /** Null: no Strict-Transport-Security. */
  readonly hsts: Hsts | null;
  readonly trailingSlash: TrailingSlash;
  readonly createdAt: Date;
}

type ProjectSettingsRow = Pick<ProjectRow, 'name' | 'hsts' | 'trailingSlash'>;

const columns = [
  'id',
  'organization_id as organizationId',
  'name',
  'slug',
  'domain_config as domainConfig',
  'hsts',
  'trailing_slash as trailingSlash',
  'created_at as createdAt',
] as const;

type ProjectFilters = Pick<ListProjectsQuery, 'q' | 'sort'>;

/** Rows a statement where all projects are read. */
const SLUG_PAGE = 5_000;

@Injectable()
export class ProjectsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @throws RequestError `already_exists` when any project has the slug */
  async insert(db: Database, organizationId: string, { name, slug }: NewProject): Promise<ProjectRow> {
    try {
      return await db
        .insertInto('projects')
        .values({ organization_id: organizationId, name, slug })
        .returning(columns)
        .executeTakeFirstOrThrow();
    } catch (error) {
      if (violatesUnique(error, 'projects_slug_unique'))
        throw RequestError.ofField('already_exists', 'slug', `"${slug}" is taken.`);
      throw error;
    }
  }

  /** In order of creation. @param q what the name or the slug contains */
  async list(organizationId: string, { q, sort }: ProjectFilters, bounds: PageBounds): Promise<FoundPage<ProjectRow>> {
    const filters =
      q === undefined ? [] : [sql<SqlBool>`(${containsText('p.name', q)} or ${containsText('p.slug', q)})`];
    const where = sql<SqlBool>`p.organization_id = ${organizationId}`;
    const keyset = byCreation('p', sort);
    const found = await findPage(this.db, { from: sql`projects p`, where, keyset, filters }, bounds);
    return readPage(found, (ids) => this.db.selectFrom('projects').select(columns).where('id', 'in', ids).execute());
  }

  async count(organizationId: string, db: Database = this.db): Promise<number> {
    const { count } = await db
      .selectFrom('projects')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** @throws RequestError `not_found` also for another organization's project */
  async get(organizationId: string, id: string, db: Database = this.db): Promise<ProjectRow> {
    const row = await db
      .selectFrom('projects')
      .select(columns)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) throw new RequestError('not_found', 'There is no such project.');
    return row;
  }

  /** The organization of a project; null when there is no such project. */
  async findOrganization(id: string): Promise<string | null> {
    const row = await this.db.selectFrom('projects').select('organization_id').where('id', '=', id).executeTakeFirst();
    return row?.organization_id ?? null;
  }

  /** Whether the organization has this project. */
  async exists(organizationId: string, id: string, db: Database = this.db): Promise<boolean> {
    const row = await db
      .selectFrom('projects')
      .select('id')
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Every project with its slug, read in pages, in the order of slugs. */
  async *eachSlug(): AsyncGenerator<{ readonly id: string; readonly organizationId: string; readonly slug: string }> {
    for (let last = ''; ;) {
      const page = await this.db
        .selectFrom('projects')
        .select(['id', 'organization_id as organizationId', 'slug'])
        .where('slug', '>', last)
        .orderBy('slug')
        .limit(SLUG_PAGE)
        .execute();
      yield* page;
      const end = page.at(-1);
      if (end === undefined) return;
      last = end.slug;
    }
  }

  /**
   * Returns, by project, those names that are live, not suspended, and have a valid certificate; each name is of a
   * project.
   */
  async findUsablePrimaries(
    wanted: readonly { readonly projectId: string; readonly name: string }[],
    now: Date,
  ): Promise<ReadonlyMap<string, string>> {
    if (wanted.length === 0) return new Map();
    const { rows } = await sql<{ projectId: string; name: string }>`
      select d.project_id as "projectId", d.name
      from unnest(
        ${wanted.map(({ projectId }) => projectId)}::uuid[], ${wanted.map(({ name }) => name)}::text[]
      ) as w (project_id, name)
      join domains d on d.name = w.name and d.state = 'live' and d.project_id = w.project_id
      where exists (
        select from certificates c where c.domain_id = d.id and c.state = 'issued' and c.not_after > ${now}
        union all
        select from certificates c where c.domain_id = d.id and c.state = 'active' and c.not_after > ${now}
      ) and ${suspensionsOfDomain} = '[]'`.execute(this.db);
    return new Map(rows.map(({ projectId, name }) => [projectId, name]));
  }

  /** Locks the project for a change of its domains or configuration, and returns its current state. */
  async lock(tx: Tx, id: string): Promise<ProjectRow> {
    return tx.selectFrom('projects').select(columns).where('id', '=', id).forUpdate().executeTakeFirstOrThrow();
  }

  /**
   * Locks several projects in the order of their ids, so that transactions cannot deadlock.
   * @param busy what to do about projects that another transaction has locked; skipped ones are not returned
   */
  async lockAll(
    tx: Tx,
    ids: readonly string[],
    busy: 'wait' | 'skip' = 'wait',
  ): Promise<ReadonlyMap<string, ProjectRow>> {
    const rows = await tx
      .selectFrom('projects')
      .select(columns)
      .where('id', 'in', ids)
      .orderBy('id')
      .forUpdate()
      .$if(busy === 'skip', (query) => query.skipLocked())
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Locks the projects that a query finds, and asks again under the locks: a domain may have moved to another project before.
   * The locks are not in the order of ids then; a deadlock ends one of the transactions, which are retried.
   */
  async lockCurrent(tx: Tx, find: () => Promise<readonly string[]>): Promise<ReadonlyMap<string, ProjectRow>> {
    const locked = new Map<string, ProjectRow>();
    const asked = new Set<string>();
    for (;;) {
      const missing = (await find()).filter((id) => !asked.has(id));
      if (missing.length === 0) return locked;
      for (const id of missing) asked.add(id);
      for (const [id, project] of await this.lockAll(tx, missing)) locked.set(id, project);
    }
  }

  /** Replaces the configurations of some projects by those given. */
  async setDomainConfigs(tx: Tx, projects: readonly Pick<ProjectRow, 'id' | 'domainConfig'>[]): Promise<void> {
    if (projects.length === 0) return;
    const rows = projects.map(({ id, domainConfig }) => ({ id, config: domainConfig }));
    await sql`
      update projects p set domain_config = c.config
      from ${recordset('c', { id: 'uuid', config: 'jsonb' }, rows)}
      where p.id = c.id`.execute(tx);
  }

  async setSettings(tx: Tx, id: string, { name, hsts, trailingSlash }: ProjectSettingsRow): Promise<void> {
    await tx
      .updateTable('projects')
      .set({ name, hsts: hsts === null ? null : JSON.stringify(hsts), trailing_slash: trailingSlash })
      .where('id', '=', id)
      .execute();
  }
}

/** Opens the transactions in which requests change projects: queue of the project first, then connection, then row lock. */
@Injectable()
export class ProjectTransactions {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly queues: ProjectQueues,
  ) {}

  /**
   * Runs work in the transaction that `db` is, or else in its own after those before it in the queues of the projects.
   * @throws RequestError `concurrency_limited`
   */
  run<T>(projectIds: readonly string[], work: (tx: Tx) => Promise<T>, db: Database = this.db): Promise<T> {
    const change = () => inTransaction(db, work);
    return db.isTransaction ? change() : this.queues.run(projectIds, change);
  }
}
