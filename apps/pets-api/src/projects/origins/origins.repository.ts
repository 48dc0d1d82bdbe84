import { Inject, Injectable } from '@nestjs/common';
import type { Database, OriginResult, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { OriginOwner, OriginRow } from './origin-row.js';

const columns = [
  'id',
  'organization_id as organizationId',
  'project_id as projectId',
  'domain_id as domainId',
  'domain_name as domainName',
  'url',
  'host_header as hostHeader',
  'timeouts',
  'header_names as headerNames',
  'sealed_headers as sealedHeaders',
  'metadata_keys as metadataKeys',
  'max_connections as maxConnections',
  'test',
  'test_started_at as testStartedAt',
  'test_sent_at as testSentAt',
  'test_result as testResult',
  'served_since as servedSince',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

/** Columns that a request sets. */
export type OriginSettings = Pick<
  OriginRow,
  | 'id'
  | 'organizationId'
  | 'projectId'
  | 'domainId'
  | 'domainName'
  | 'url'
  | 'hostHeader'
  | 'timeouts'
  | 'headerNames'
  | 'sealedHeaders'
  | 'metadataKeys'
  | 'maxConnections'
>;

/**
 * Rows of `origins`: at most one for each project and one for each domain. Callers that write one hold the lock of its project.
 */
@Injectable()
export class OriginsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async find({ projectId, domainId }: OriginOwner, db: Database | Tx = this.db): Promise<OriginRow | null> {
    const row = await db
      .selectFrom('origins')
      .select(columns)
      .where('project_id', '=', projectId)
      .where('domain_id', domainId === null ? 'is' : '=', domainId)
      .executeTakeFirst();
    return row ?? null;
  }

  /** @throws RequestError `not_found` */
  async get(owner: OriginOwner, db?: Database | Tx): Promise<OriginRow> {
    const row = await this.find(owner, db);
    if (row !== null) return row;
    const message = owner.domainId === null ? 'The project has no origin.' : 'The domain has no origin of its own.';
    throw new RequestError('not_found', message);
  }

  /** An origin by id; null if it was removed. */
  async findById(id: string, db: Database | Tx = this.db): Promise<OriginRow | null> {
    return (await db.selectFrom('origins').select(columns).where('id', '=', id).executeTakeFirst()) ?? null;
  }

  /** Whether the visitors of a project get its application. */
  async isServing(tx: Tx, projectId: string): Promise<boolean> {
    return (await this.find({ projectId, domainId: null }, tx))?.servedSince instanceof Date;
  }

  /** The domains among some whose visitors get an application of their own. */
  async listServed(tx: Tx, domainIds: readonly string[]): Promise<ReadonlySet<string | null>> {
    const rows = await tx
      .selectFrom('origins')
      .select('domain_id')
      .where('domain_id', 'in', domainIds)
      .where('served_since', 'is not', null)
      .execute();
    return new Set(rows.map(({ domain_id }) => domain_id));
  }

  async count(organizationId: string, db: Database | Tx = this.db): Promise<number> {
    const { count } = await db
      .selectFrom('origins')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Inserts or replaces the settings, and begins a test. */
  async put(tx: Tx, settings: OriginSettings, now: Date): Promise<OriginRow> {
    const { id, organizationId, projectId, domainId, domainName } = settings;
    const set = {
      url: settings.url,
      host_header: settings.hostHeader,
      timeouts: JSON.stringify(settings.timeouts),
      header_names: [...settings.headerNames],
      sealed_headers: settings.sealedHeaders,
      metadata_keys: [...settings.metadataKeys],
      max_connections: settings.maxConnections,
      test_started_at: now,
      test_sent_at: now,
      updated_at: now,
    };
    return tx
      .insertInto('origins')
      .values({
        ...{ id, organization_id: organizationId, project_id: projectId },
        ...{ domain_id: domainId, domain_name: domainName, created_at: now, ...set },
      })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ ...set, test: sql<number>`origins.test + 1`, test_result: null }),
      )
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** Begins another test. */
  async restartTest(tx: Tx, id: string, now: Date): Promise<OriginRow> {
    return tx
      .updateTable('origins')
      .set({ test: sql<number>`test + 1`, test_started_at: now, test_sent_at: now, test_result: null })
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** Asks the edges again for the result of a test. */
  async repeatTest(tx: Tx, id: string, now: Date): Promise<void> {
    await tx
      .updateTable('origins')
      .set({ test: sql<number>`test + 1`, test_sent_at: now })
      .where('id', '=', id)
      .execute();
  }

  /** Origins that have a test without a result. @returns at most `limit` */
  async listUnanswered(
    sentBefore: Date,
    startedAfter: Date,
    limit: number,
  ): Promise<readonly Pick<OriginRow, 'id' | 'projectId'>[]> {
    return this.db
      .selectFrom('origins')
      .select(['id', 'project_id as projectId'])
      .where('test_result', 'is', null)
      .where('test_sent_at', '<', sentBefore)
      .where('test_started_at', '>', startedAfter)
      .orderBy('test_sent_at')
      .limit(limit)
      .execute();
  }

  /** Stores what an edge found. @param servedSince null: it does not answer visitors yet */
  async setResult(tx: Tx, id: string, result: OriginResult, servedSince: Date | null): Promise<void> {
    await tx
      .updateTable('origins')
      .set({ test_result: JSON.stringify(result), served_since: servedSince })
      .where('id', '=', id)
      .execute();
  }

  /** Gives the origins of domains to the project that the domains move to. @returns their ids */
  async moveOfDomains(tx: Tx, domainIds: readonly string[], projectId: string): Promise<readonly string[]> {
    const rows = await tx
      .updateTable('origins')
      .set({ project_id: projectId })
      .where('domain_id', 'in', domainIds)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.deleteFrom('origins').where('id', '=', id).execute();
  }

  /** Deletes the origins of domains. @returns their ids, by domain */
  async deleteOfDomains(tx: Tx, domainIds: readonly string[]): Promise<ReadonlyMap<string | null, string>> {
    if (domainIds.length === 0) return new Map();
    const deleted = tx.deleteFrom('origins').where('domain_id', 'in', domainIds);
    const rows = await deleted.returning(['id', 'domain_id']).execute();
    return new Map(rows.map(({ id, domain_id }) => [domain_id, id]));
  }
}
