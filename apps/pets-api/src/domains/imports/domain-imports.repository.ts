import { Inject, Injectable } from '@nestjs/common';
import type { DomainImportAction, DomainImportFormat, DomainImportLine, DomainImportState } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isValidAt } from '../../access/api-keys/api-keys.repository.js';
import type { Requester } from '../../access/audit/requester.js';
import { DATABASE } from '../../platform/providers.js';
import type { ImportLine } from './parse-import.js';

export interface ImportRow {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly action: DomainImportAction;
  readonly format: DomainImportFormat;
  readonly state: DomainImportState | 'uploading';
  readonly reason: string | null;
  readonly apiKeyId: string;
  readonly requester: Requester;
  readonly lines: number;
  readonly created: number;
  readonly existing: number;
  readonly removed: number;
  readonly refused: number;
  readonly nextPiece: number;
  readonly failuresInARow: number;
  readonly removedVersion: bigint | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface OpenImports {
  readonly count: number;
  /** Bytes of their files that no estimate of the organization's bytes has counted. */
  readonly uncountedBytes: number;
}

/** Result of one piece of an import. */
export interface DonePiece {
  readonly results: readonly DomainImportLine[];
  readonly removedVersion: number | null;
}

const columns = sql`
  id, organization_id as "organizationId", project_id as "projectId", action, format, state, reason,
  api_key_id as "apiKeyId", requester, lines, created, existing, removed, refused, next_piece as "nextPiece",
  failures_in_a_row as "failuresInARow", removed_version as "removedVersion", created_at as "createdAt",
  ended_at as "endedAt"`;

/** The process of an upload that is older has died: an upload has five minutes. */
const UPLOAD_ENDS = sql`interval '6 minutes'`;

const LIST_LIMIT = 100;
/** Pieces a statement of a report. */
const REPORT_PIECES = 10;
/** Pieces that a statement deletes: some ten megabytes at most. */
const DELETED_PIECES = 100;

@Injectable()
export class DomainImportsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Imports of an organization that are under way, for a transaction that holds its lock. */
  async readOpen(tx: Tx, organizationId: string): Promise<OpenImports> {
    const { rows } = await sql<OpenImports>`
      select count(*)::integer as count, coalesce(sum(i.bytes) filter (
          where i.state = 'uploading' or b.measured_at is null or i.created_at > b.measured_at
        ), 0)::float8 as "uncountedBytes"
      from domain_imports i left join organization_bytes b on b.organization_id = i.organization_id
      where i.organization_id = ${organizationId} and i.state in ('uploading', 'running')
        and (i.state = 'running' or i.created_at > now() - ${UPLOAD_ENDS})`.execute(tx);
    return rows[0] ?? { count: 0, uncountedBytes: 0 };
  }

  /** Begins an upload. Until `start`, it counts as ended, so that the leftovers of a dead process are deleted. */
  async insert(
    tx: Tx,
    row: Pick<ImportRow, 'organizationId' | 'projectId' | 'action' | 'format' | 'apiKeyId' | 'requester'> & {
      readonly bytes: number;
    },
  ): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      insert into domain_imports
        (organization_id, project_id, action, format, api_key_id, requester, bytes, due_at, ended_at)
      values (${row.organizationId}, ${row.projectId}, ${row.action}, ${row.format}, ${row.apiKeyId},
        ${JSON.stringify(row.requester)}::jsonb, ${row.bytes}, now(), now())
      returning id`.execute(tx);
    const [inserted] = rows;
    if (inserted === undefined) throw new Error('an import was not inserted');
    return inserted.id;
  }

  /** @param lines as JSON */
  async insertPiece(importId: string, number: number, lines: string): Promise<void> {
    await this.db.insertInto('domain_import_pieces').values({ import_id: importId, number, lines }).execute();
  }

  /** Deletes an upload that was not started. */
  async discard(id: string): Promise<void> {
    await deletePieces(
      this.db,
      sql`import_id in (select id from domain_imports where id = ${id} and state = 'uploading')`,
    );
    await this.db.deleteFrom('domain_imports').where('id', '=', id).where('state', '=', 'uploading').execute();
  }

  async start(tx: Tx, id: string, { lines, bytes }: { lines: number; bytes: number }): Promise<ImportRow> {
    const { rows } = await sql<ImportRow>`
      update domain_imports set state = 'running', lines = ${lines}, bytes = ${bytes}, due_at = now(), ended_at = null
      where id = ${id} and state = 'uploading' returning ${columns}`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error(`the upload ${id} is gone`);
    return row;
  }

  /** An import that is no longer an upload. */
  async find(projectId: string, id: string, db: Database = this.db): Promise<ImportRow | null> {
    const { rows } = await sql<ImportRow>`
      select ${columns} from domain_imports
      where id = ${id} and project_id = ${projectId} and state <> 'uploading'`.execute(db);
    return rows[0] ?? null;
  }

  /** Newest first. */
  async list(projectId: string): Promise<ImportRow[]> {
    const { rows } = await sql<ImportRow>`
      select ${columns} from domain_imports
      where project_id = ${projectId} and state <> 'uploading'
      order by created_at desc limit ${LIST_LIMIT}`.execute(this.db);
    return rows;
  }

  /** Locks the running import that has waited longest, until the transaction ends; other replicas take others. */
  async lockDue(tx: Tx): Promise<ImportRow | null> {
    const { rows } = await sql<ImportRow>`
      select ${columns} from domain_imports where state = 'running' and due_at <= now()
      order by due_at limit 1 for update skip locked`.execute(tx);
    return rows[0] ?? null;
  }

  /** Waits for a piece that is under way. */
  async lock(tx: Tx, projectId: string, id: string): Promise<ImportRow | null> {
    const { rows } = await sql<ImportRow>`
      select ${columns} from domain_imports
      where id = ${id} and project_id = ${projectId} and state <> 'uploading' for update`.execute(tx);
    return rows[0] ?? null;
  }

  /** The next lines of an import, and the number of the first; null after the last ones. */
  async findPiece(tx: Tx, { id, nextPiece }: ImportRow): Promise<readonly ImportLine[] | null> {
    const { rows } = await sql<{ lines: readonly ImportLine[] }>`
      select lines from domain_import_pieces where import_id = ${id} and number = ${nextPiece}`.execute(tx);
    return rows[0]?.lines ?? null;
  }

  /** Stores the results of the next piece in the place of its lines, which nobody needs any more. The import waits until others had their turn. */
  async savePiece(tx: Tx, { id, nextPiece }: ImportRow, { results, removedVersion }: DonePiece): Promise<void> {
    const count = (result: DomainImportLine['result']) => results.filter((each) => each.result === result).length;
    await sql`
      update domain_import_pieces set lines = '[]', results = ${JSON.stringify(results)}::jsonb
      where import_id = ${id} and number = ${nextPiece}`.execute(tx);
    await sql`
      update domain_imports set next_piece = next_piece + 1, due_at = clock_timestamp(), failures_in_a_row = 0,
        created = created + ${count('created')}, existing = existing + ${count('exists')},
        removed = removed + ${count('removed')}, refused = refused + ${count('refused')},
        removed_version = greatest(removed_version, ${removedVersion}::bigint)
      where id = ${id}`.execute(tx);
  }

  /** Ends an import, and deletes the pieces that were not done. */
  async end(tx: Tx, id: string, state: 'finished' | 'cancelled' | 'failed', reason: string | null): Promise<void> {
    if (state !== 'finished') await deletePieces(tx, sql`import_id = ${id} and results is null`);
    await sql`
      update domain_imports set state = ${state}, reason = ${reason}, ended_at = now() where id = ${id}`.execute(tx);
  }

  /** Tries a piece that failed again later. */
  async postpone(tx: Tx, id: string, seconds: number): Promise<void> {
    await sql`
      update domain_imports set failures_in_a_row = failures_in_a_row + 1,
        due_at = now() + make_interval(secs => ${seconds})
      where id = ${id} and state = 'running'`.execute(tx);
  }

  /** Numbers a change, and announces it to the readers of the project's events. */
  async announce(tx: Tx, { id, projectId }: Pick<ImportRow, 'id' | 'projectId'>): Promise<void> {
    await sql`
      with counted as (
        update projects set change_number = change_number + 1 where id = ${projectId} returning change_number
      )
      update domain_imports i set change_number = c.change_number from counted c where i.id = ${id}`.execute(tx);
    await notify(tx, 'project_events');
  }

  /** Whether the key of an import is still valid and may still change domains: another role can take that from a person. */
  async mayContinue(tx: Tx, apiKeyId: string, now: Date): Promise<boolean> {
    const found = await tx
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', apiKeyId)
      .where(isValidAt(now))
      .where(sql<SqlBool>`scopes @> array['domains:write']`)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** The results of an import in order, page by page. */
  async *eachResult(id: string): AsyncGenerator<DomainImportLine> {
    for (let after = -1; ;) {
      const { rows } = await sql<{ number: number; results: readonly DomainImportLine[] }>`
        select number, results from domain_import_pieces
        where import_id = ${id} and number > ${after} and results is not null
        order by number limit ${REPORT_PIECES}`.execute(this.db);
      for (const { results } of rows) yield* results;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.number;
    }
  }
}

async function deletePieces(db: Database, condition: RawBuilder<unknown>): Promise<void> {
  for (let deleted = DELETED_PIECES; deleted === DELETED_PIECES;) {
    const { numAffectedRows = 0n } = await sql`
      delete from domain_import_pieces where ctid = any(array(
        select ctid from domain_import_pieces where ${condition} limit ${DELETED_PIECES}
      ))`.execute(db);
    deleted = Number(numAffectedRows);
  }
}
