import { Inject, Injectable } from '@nestjs/common';
import { uploadLimits, type IgnoredFiles } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { DeploymentDetails } from '../deployments/deployments.service.js';
import { joinBits } from './kept-contents.service.js';

/** Far less than the day for which unused files are kept: what an upload relies on stays stored. */
const LIFETIME = sql<Date>`now() + interval '1 hour'`;

const columns = [
  'id',
  'files_hash as filesHash',
  'held',
  'allowed',
  'ignored',
  'message',
  'source',
  'channel',
  'access',
  'expires_at as expiresAt',
  'deployment_id as deploymentId',
] as const;

/** An upload that sends the files that its project lacks. */
export interface DeploymentUploadRow extends DeploymentDetails {
  readonly id: string;
  /** The name of its manifest. */
  readonly filesHash: string;
  /** See `HeldContents`. */
  readonly held: Buffer;
  readonly allowed: readonly string[];
  readonly ignored: IgnoredFiles;
  readonly expiresAt: Date;
  /** Null until it is deployed. */
  readonly deploymentId: string | null;
}

/** An upload before it has an id. */
export interface NewDeploymentUpload extends Pick<DeploymentUploadRow, 'filesHash' | 'held' | 'allowed' | 'ignored'> {
  readonly organizationId: string;
  readonly projectId: string;
  readonly details: DeploymentDetails;
}

@Injectable()
export class DeploymentUploadsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Ends the oldest open uploads of the project beyond the limit. */
  async insert(upload: NewDeploymentUpload): Promise<DeploymentUploadRow> {
    const { projectId, details } = upload;
    const row = await this.db
      .insertInto('deployment_uploads')
      .values({
        organization_id: upload.organizationId,
        project_id: projectId,
        files_hash: upload.filesHash,
        held: upload.held,
        allowed: [...upload.allowed],
        ignored: JSON.stringify(upload.ignored),
        message: details.message,
        source: details.source === null ? null : JSON.stringify(details.source),
        channel: details.channel,
        access: details.access,
        expires_at: LIFETIME,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await sql`
      delete from deployment_uploads where id in (
        select id from deployment_uploads where project_id = ${projectId} and deployment_id is null
        order by expires_at desc offset ${uploadLimits.openOfProject} for update skip locked
      )`.execute(this.db);
    return row;
  }

  /** An upload of a project; null when there is none with this id, or it has ended. */
  async find(projectId: string, id: string): Promise<DeploymentUploadRow | null> {
    const row = await this.selectOne(this.db, projectId, id).executeTakeFirst();
    return row ?? null;
  }

  /** The same, locked until the transaction ends. */
  async lock(tx: Tx, projectId: string, id: string): Promise<DeploymentUploadRow | null> {
    const row = await this.selectOne(tx, projectId, id).forUpdate().executeTakeFirst();
    return row ?? null;
  }

  /** Adds contents that were stored. @returns those that the upload has now; null when it has ended */
  addHeld(projectId: string, id: string, bits: Buffer): Promise<Buffer | null> {
    return inTransaction(this.db, async (tx) => {
      const upload = await this.lock(tx, projectId, id);
      if (upload === null) return null;
      const held = joinBits(upload.held, bits);
      await tx.updateTable('deployment_uploads').set({ held }).where('id', '=', id).execute();
      return held;
    });
  }

  async setDeployment(tx: Tx, id: string, deploymentId: string): Promise<void> {
    await tx.updateTable('deployment_uploads').set({ deployment_id: deploymentId }).where('id', '=', id).execute();
  }

  private selectOne(db: Database | Tx, projectId: string, id: string) {
    return db
      .selectFrom('deployment_uploads')
      .select(columns)
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('expires_at', '>', sql<Date>`now()`);
  }
}
