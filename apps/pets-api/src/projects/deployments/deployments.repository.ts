import { Inject, Injectable } from '@nestjs/common';
import type {
  Deployment,
  DeploymentAuthor,
  DeploymentSource,
  DeploymentState,
  ListDeploymentsQuery,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type SqlBool } from 'kysely';
import { actorDisplay } from '../../access/audit/audit-log.js';
import type { Requester } from '../../access/audit/requester.js';
import { byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import { BEFORE_ALL, type FoundPage, type PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';

const columns = [
  ...(['id', 'project_id', 'state', 'files_hash', 'files', 'bytes', 'created_at', 'message', 'source'] as const),
  sql<DeploymentAuthor | null>`case when author_kind is not null then jsonb_build_object(
    'kind', author_kind, 'id', author_id, 'display', ${actorDisplay('author')}) end`.as('author'),
  sql<string[]>`array(select c.name from channels c where c.deployment_id = deployments.id order by c.name)`.as(
    'channels',
  ),
] as const;

/** Deployments in a list without a limit. */
const LISTED = 100;

interface DeploymentRow {
  readonly id: string;
  readonly project_id: string;
  readonly state: DeploymentState;
  readonly files_hash: string;
  readonly files: number;
  readonly bytes: bigint;
  readonly created_at: Date;
  readonly message: string | null;
  readonly source: DeploymentSource | null;
  readonly author: DeploymentAuthor | null;
  readonly channels: readonly string[];
}

/** A deployment by its files. */
interface ListedDeployment {
  readonly id: string;
  /** Ascends in order of upload. */
  readonly number: bigint;
  readonly state: DeploymentState;
  /** The name of its manifest. */
  readonly filesHash: string;
}

@Injectable()
export class DeploymentsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @param isActivated whether the project serves it from the commit on */
  async insert(
    tx: Tx,
    deployment: {
      readonly id?: string;
      readonly projectId: string;
      readonly contentHash: string;
      readonly filesHash: string;
      readonly bundleId: bigint | null;
      readonly files: number;
      readonly bytes: number;
      readonly message: string | null;
      readonly source: DeploymentSource | null;
      readonly isActivated: boolean;
    },
    { apiKeyId, personId }: Requester,
  ): Promise<Deployment> {
    const author = personId ?? apiKeyId;
    const row = await tx
      .insertInto('deployments')
      .values({
        ...(deployment.id !== undefined && { id: deployment.id }),
        project_id: deployment.projectId,
        state: 'ready',
        content_hash: deployment.contentHash,
        files_hash: deployment.filesHash,
        bundle_id: deployment.bundleId,
        files: deployment.files,
        bytes: BigInt(deployment.bytes),
        message: deployment.message,
        source: deployment.source === null ? null : JSON.stringify(deployment.source),
        ...(!deployment.isActivated && { activation: null }),
        author_kind: author === null ? null : personId === null ? 'api_key' : 'person',
        author_id: author,
        // The name of a person is read with the deployment, so that it can be deleted.
        author_display:
          personId === null ? sql<string | null>`(select display from api_keys where id = ${apiKeyId}::uuid)` : null,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    return present(row, deployment.isActivated);
  }

  /** Newest first. The first page without a limit or a filter has the active one too, however old it is. */
  async list(
    projectId: string,
    { state, limit }: Pick<ListDeploymentsQuery, 'state' | 'limit'>,
    bounds: PageBounds,
  ): Promise<FoundPage<Deployment>> {
    const filters = state === undefined ? [] : [sql<SqlBool>`state = ${state}`];
    const where = sql<SqlBool>`project_id = ${projectId}`;
    const keyset = byNumber('number', '-number');
    const query = { from: sql`deployments`, where, keyset, filters };
    const found = await findPage(this.db, query, { ...bounds, limit: limit ?? LISTED });
    const page = await readPage(found, (ids) =>
      this.db.selectFrom('deployments').select(columns).where('id', 'in', ids).execute(),
    );
    const active = await servedFirst(this.db, projectId).select(columns).executeTakeFirst();
    const isMissing = active !== undefined && page.rows.every(({ id }) => id !== active.id);
    const isAdded = isMissing && limit === undefined && state === undefined && bounds.afterId === BEFORE_ALL;
    const rows = [...page.rows, ...(isAdded ? [active] : [])];
    return { rows: rows.map((row) => present(row, row.id === active?.id)), next: page.next };
  }

  /** A deployment of a project; null when there is none with this id. */
  async find(tx: Database | Tx, projectId: string, id: string): Promise<Deployment | null> {
    const row = await tx
      .selectFrom('deployments')
      .select(columns)
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const active = await servedFirst(tx, projectId).select('id').executeTakeFirst();
    return present(row, row.id === active?.id);
  }

  /** The same outside a transaction. */
  findOne(projectId: string, id: string): Promise<Deployment | null> {
    return this.find(this.db, projectId, id);
  }

  /** The files of a deployment of a project; null when there is none with this id. */
  async findListed(projectId: string, id: string): Promise<ListedDeployment | null> {
    return (await this.selectListed(projectId).where('id', '=', id).executeTakeFirst()) ?? null;
  }

  /** The kept deployment of a project that was uploaded last before another one; null when there is none. */
  async findKeptBefore(projectId: string, number: bigint): Promise<ListedDeployment | null> {
    const earlier = this.selectListed(projectId).where('number', '<', number).where('state', '=', 'ready');
    return (await earlier.orderBy('number', 'desc').limit(1).executeTakeFirst()) ?? null;
  }

  private selectListed(projectId: string) {
    return this.db
      .selectFrom('deployments')
      .select(['id', 'number', 'state', 'files_hash as filesHash'])
      .where('project_id', '=', projectId);
  }

  /** @throws RequestError `not_found`, also for a deployment of another project; `deployment_collected` */
  async getKept(tx: Tx, projectId: string, id: string): Promise<Deployment> {
    const deployment = await this.find(tx, projectId, id);
    if (deployment === null) throw new RequestError('not_found', 'There is no such deployment of this project.');
    if (deployment.state === 'ready') return deployment;
    throw new RequestError('deployment_collected', 'The files of this deployment were deleted. Deploy them again.');
  }

  /** Serves it from the commit on. The caller holds the project's lock, so that the last activation wins. */
  async activate(tx: Tx, id: string): Promise<void> {
    await tx
      .updateTable('deployments')
      .set({ activation: sql<bigint>`nextval('deployments_activation')` })
      .where('id', '=', id)
      .execute();
  }

  /**
   * Keeps the deployments of a project that it served last, as many that were only on channels, and those that channels serve.
   * The caller holds the project's lock.
   */
  async collectAllBut(tx: Tx, projectId: string, kept: number): Promise<void> {
    const isOnChannel = sql`exists (select from channels c where c.deployment_id = d.id)`;
    await sql`
      update deployments set state = 'collected', collected_at = now()
      where id in (
        select id from (
          (
            select id from deployments where project_id = ${projectId} and state = 'ready' and activation is not null
            order by activation desc offset ${kept}
          ) union all (
            select id from deployments d where project_id = ${projectId} and state = 'ready' and activation is null
              and not ${isOnChannel}
            order by number desc offset ${kept}
          )
        ) d where not ${isOnChannel}
      )`.execute(tx);
  }

  /** The caller holds the project's lock and has checked that it is not served. */
  async collect(tx: Tx, id: string): Promise<void> {
    await sql`update deployments set state = 'collected', collected_at = now() where id = ${id}`.execute(tx);
  }

  /** Deletes rows of deployments that were collected before a time. @returns how many */
  async deleteCollected(before: Date, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      delete from deployments where id in (
        select id from deployments
        where state = 'collected' and collected_at < ${before} and bundle_id is null
        order by collected_at limit ${limit} for update skip locked
      )`.execute(this.db);
    return Number(numAffectedRows);
  }

  /** The names of the indexes of the kept deployments. */
  async listKeptHashes(projectId: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('deployments')
      .select('content_hash')
      .distinct()
      .where('project_id', '=', projectId)
      .where('state', '=', 'ready')
      .execute();
    return rows.map(({ content_hash }) => content_hash);
  }

  /** Content hash of the served deployment; null before the first one. */
  async findServedHash(tx: Database | Tx, projectId: string): Promise<string | null> {
    const row = await servedFirst(tx, projectId).select('content_hash').executeTakeFirst();
    return row?.content_hash ?? null;
  }
}

/** A deployment is served from its upload or activation until the next of either; one of a channel, once it is activated. */
function servedFirst(db: Database | Tx, projectId: string) {
  return db
    .selectFrom('deployments')
    .where('project_id', '=', projectId)
    .where('state', '=', 'ready')
    .where('activation', 'is not', null)
    .orderBy('activation', 'desc')
    .limit(1);
}

function present(row: DeploymentRow, active: boolean): Deployment {
  return {
    id: row.id,
    projectId: row.project_id,
    state: row.state,
    active,
    channels: row.channels,
    contentHash: row.files_hash,
    files: row.files,
    bytes: Number(row.bytes),
    message: row.message,
    source: row.source,
    author: row.author,
    createdAt: row.created_at.toISOString(),
  };
}
