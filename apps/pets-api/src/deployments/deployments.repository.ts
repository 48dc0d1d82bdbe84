import { Inject, Injectable } from '@nestjs/common';
import type { Deployment, DeploymentState } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../providers.js';

const columns = ['id', 'project_id', 'state', 'content_hash', 'files', 'bytes', 'created_at'] as const;

interface DeploymentRow {
  readonly id: string;
  readonly project_id: string;
  readonly state: string;
  readonly content_hash: string;
  readonly files: number;
  readonly bytes: bigint;
  readonly created_at: Date;
}

@Injectable()
export class DeploymentsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async insert(
    tx: Tx,
    deployment: { projectId: string; contentHash: string; files: number; bytes: number },
  ): Promise<Deployment> {
    const row = await tx
      .insertInto('deployments')
      .values({
        project_id: deployment.projectId,
        state: 'ready',
        content_hash: deployment.contentHash,
        files: deployment.files,
        bytes: BigInt(deployment.bytes),
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    return present(row);
  }

  /** Newest first. */
  async list(projectId: string): Promise<Deployment[]> {
    const rows = await this.db
      .selectFrom('deployments')
      .select(columns)
      .where('project_id', '=', projectId)
      .orderBy('number', 'desc')
      .limit(100)
      .execute();
    return rows.map(present);
  }

  /** Content hash of the newest ready deployment; null before the first one. */
  async findServedHash(tx: Database | Tx, projectId: string): Promise<string | null> {
    const row = await tx
      .selectFrom('deployments')
      .select('content_hash')
      .where('project_id', '=', projectId)
      .where('state', '=', 'ready')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.content_hash ?? null;
  }

  /** The same for several projects, by project id; those without a deployment are missing. */
  async findServedHashes(tx: Tx, projectIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await sql<{ projectId: string; contentHash: string }>`
      select p.id as "projectId", (
        select d.content_hash from deployments d
        where d.project_id = p.id and d.state = 'ready' order by d.number desc limit 1
      ) as "contentHash"
      from unnest(${projectIds}::uuid[]) as p (id)`.execute(tx);
    return new Map(
      rows.filter(({ contentHash }) => contentHash !== null).map((row) => [row.projectId, row.contentHash]),
    );
  }
}

function present(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    projectId: row.project_id,
    state: row.state as DeploymentState,
    contentHash: row.content_hash,
    files: row.files,
    bytes: Number(row.bytes),
    createdAt: row.created_at.toISOString(),
  };
}
