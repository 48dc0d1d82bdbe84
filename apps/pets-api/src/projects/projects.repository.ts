import { Inject, Injectable } from '@nestjs/common';
import type { DomainConfig, Hsts, NewProject } from '@pets/contracts';
import { violatesUnique, type Database, type Tx } from '@pets/persistence';
import { DomainError } from '@pets/platform';
import { DATABASE } from '../providers.js';

export interface ProjectRow {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly slug: string;
  readonly domainConfig: DomainConfig;
  /** Null: no Strict-Transport-Security. */
  readonly hsts: Hsts | null;
  readonly createdAt: Date;
}

const columns = [
  'id',
  'organization_id as organizationId',
  'name',
  'slug',
  'domain_config as domainConfig',
  'hsts',
  'created_at as createdAt',
] as const;

@Injectable()
export class ProjectsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @throws DomainError `already_exists` when the slug is taken, by whomever */
  async insert(db: Database, organizationId: string, { name, slug }: NewProject): Promise<ProjectRow> {
    try {
      const row = await db
        .insertInto('projects')
        .values({ organization_id: organizationId, name, slug })
        .returning(columns)
        .executeTakeFirstOrThrow();
      return row as ProjectRow;
    } catch (error) {
      if (violatesUnique(error, 'projects_slug_unique'))
        throw new DomainError('already_exists', `slug: "${slug}" is taken.`);
      throw error;
    }
  }

  async list(organizationId: string): Promise<ProjectRow[]> {
    const rows = await this.db
      .selectFrom('projects')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows as ProjectRow[];
  }

  /** @throws DomainError `not_found` also for another organization's project */
  async get(organizationId: string, id: string, db: Database = this.db): Promise<ProjectRow> {
    const row = await db
      .selectFrom('projects')
      .select(columns)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) throw new DomainError('not_found', 'There is no such project.');
    return row as ProjectRow;
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

  /** Locks the project for what is to change its domains or its configuration, and returns it as it is then. */
  async lock(tx: Tx, id: string): Promise<ProjectRow> {
    const row = await tx
      .selectFrom('projects')
      .select(columns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    return row as ProjectRow;
  }

  /** Locks several projects, always in the same order, so that no two transactions can wait for each other. */
  async lockAll(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, ProjectRow>> {
    const rows = await tx
      .selectFrom('projects')
      .select(columns)
      .where('id', 'in', ids)
      .orderBy('id')
      .forUpdate()
      .execute();
    return new Map(rows.map((row) => [row.id, row as ProjectRow]));
  }

  async setDomainConfig(tx: Tx, id: string, config: DomainConfig): Promise<void> {
    await tx
      .updateTable('projects')
      .set({ domain_config: JSON.stringify(config) })
      .where('id', '=', id)
      .execute();
  }

  async setSettings(tx: Tx, id: string, { name, hsts }: Pick<ProjectRow, 'name' | 'hsts'>): Promise<void> {
    await tx
      .updateTable('projects')
      .set({ name, hsts: hsts === null ? null : JSON.stringify(hsts) })
      .where('id', '=', id)
      .execute();
  }
}
