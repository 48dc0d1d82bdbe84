import { Inject, Injectable } from '@nestjs/common';
import type { Database, OriginResult, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { OriginRow } from './origin-row.js';

const columns = [
  'id',
  'organization_id as organizationId',
  'project_id as projectId',
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
  | 'url'
  | 'hostHeader'
  | 'timeouts'
  | 'headerNames'
  | 'sealedHeaders'
  | 'metadataKeys'
  | 'maxConnections'
>;

/** Rows of `origins`: at most one for each project. Callers that write one hold the lock of its project. */
@Injectable()
export class OriginsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async find(projectId: string, db: Database | Tx = this.db): Promise<OriginRow | null> {
    const row = await db.selectFrom('origins').select(columns).where('project_id', '=', projectId).executeTakeFirst();
    return row ?? null;
  }

  async findById(id: string, db: Database | Tx = this.db): Promise<OriginRow | null> {
    return (await db.selectFrom('origins').select(columns).where('id', '=', id).executeTakeFirst()) ?? null;
  }

  /** @throws RequestError `not_found` */
  async get(projectId: string, db?: Database | Tx): Promise<OriginRow> {
    const row = await this.find(projectId, db);
    if (row === null) throw new RequestError('not_found', 'The project has no origin.');
    return row;
  }

  /** The project of an origin; null if it was removed. */
  async findProject(id: string): Promise<string | null> {
    const row = await this.db.selectFrom('origins').select('project_id').where('id', '=', id).executeTakeFirst();
    return row?.project_id ?? null;
  }

  /** Whether the visitors of a project get its application. */
  async isServing(tx: Tx, projectId: string): Promise<boolean> {
    return (await this.find(projectId, tx))?.servedSince instanceof Date;
  }

  /** Inserts or replaces the settings, and begins a test. */
  async put(tx: Tx, settings: OriginSettings, now: Date): Promise<OriginRow> {
    const { id, organizationId, projectId } = settings;
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
      .values({ id, organization_id: organizationId, project_id: projectId, ...set, created_at: now })
      .onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet({ ...set, test: sql<number>`origins.test + 1`, test_result: null }),
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

  /** Projects whose origin has a test without a result. @returns at most `limit` */
  async listUnanswered(sentBefore: Date, startedAfter: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('origins')
      .select('project_id')
      .where('test_result', 'is', null)
      .where('test_sent_at', '<', sentBefore)
      .where('test_started_at', '>', startedAfter)
      .orderBy('test_sent_at')
      .limit(limit)
      .execute();
    return rows.map(({ project_id }) => project_id);
  }

  /** Stores what an edge found. @param servedSince null: it does not answer visitors yet */
  async setResult(tx: Tx, id: string, result: OriginResult, servedSince: Date | null): Promise<void> {
    await tx
      .updateTable('origins')
      .set({ test_result: JSON.stringify(result), served_since: servedSince })
      .where('id', '=', id)
      .execute();
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.deleteFrom('origins').where('id', '=', id).execute();
  }
}
