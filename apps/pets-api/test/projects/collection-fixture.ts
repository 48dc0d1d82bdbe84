import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ApiError, Deployment, LimitName, Plan, Project } from '@pets/contracts';
import { createLogger, openFileStorage, type FileStorage } from '@pets/platform';
import { LimitsService } from '../../src/access/limits/limits.service.js';
import { BundlesRepository, StoredObjectsRepository } from '../../src/projects/deployments/bundles.repository.js';
import { DeploymentCollection, IdleObjects } from '../../src/projects/deployments/deployment-collection.service.js';
import { DeploymentsRepository } from '../../src/projects/deployments/deployments.repository.js';
import { startTestApi, type ApiResponse, type TestApi } from '../harness.js';
import { makeBundle } from './bundles.js';

const HOUR_MS = 60 * 60 * 1_000;
const limitSettings = { RATE_LIMIT_PER_MINUTE: 0, EVENT_STREAMS_PER_KEY: 1 };

export interface Publisher {
  readonly organizationId: string;
  readonly key: string;
  readonly projectId: string;
  readonly path: string;
}

/** An API, its storage, and the collection as a replica runs it, at times of the test's choice. */
export class CollectionFixture {
  private constructor(
    readonly api: TestApi,
    readonly folder: string,
    readonly storage: FileStorage,
  ) {}

  static async start(): Promise<CollectionFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'collection-'));
    const url = pathToFileURL(folder).href;
    return new CollectionFixture(await startTestApi({ STORAGE_URL: url }), folder, await openFileStorage(url));
  }

  async close(): Promise<void> {
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async publisher(plan: Plan = 'pro', limits: Partial<Record<LimitName, number>> = {}): Promise<Publisher> {
    const { organizationId, key } = await this.api.createOrganization(plan);
    for (const [name, value] of Object.entries(limits))
      await this.api.db
        .insertInto('organization_limits')
        .values({ organization_id: organizationId, name, value: BigInt(value) })
        .execute();
    return { organizationId, key, ...(await this.addProject(key)) };
  }

  async addProject(key: string): Promise<Pick<Publisher, 'projectId' | 'path'>> {
    const body = { name: 'Site', slug: `site-${randomUUID()}` };
    const project = await this.api.request<Project>('POST', '/v1/projects', { key, body });
    return { projectId: project.body.id, path: `/v1/projects/${project.body.id}/deployments` };
  }

  upload<Body = Deployment>(
    { key, path }: Pick<Publisher, 'key' | 'path'>,
    files: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    const body = makeBundle(Object.entries(files).map(([name, content]) => ({ path: name, content })));
    return this.api.request<Body>('POST', path, {
      key,
      body,
      headers: { 'content-type': 'application/gzip', ...headers },
    });
  }

  activate<Body = ApiError>({ key, path }: Publisher, { id }: Deployment): Promise<ApiResponse<Body>> {
    return this.api.request<Body>('POST', `${path}/${id}/activate`, { key });
  }

  async list({ key, path }: Publisher): Promise<Deployment[]> {
    return (await this.api.request<Deployment[]>('GET', path, { key })).body;
  }

  /** Collects until nothing is left to do, as if it were so much later. */
  async collect(hoursLater: number, storage: FileStorage = this.storage): Promise<void> {
    const { collection } = this.parts(hoursLater, storage);
    while ((await collection.collect(100)) > 0);
  }

  parts(hoursLater: number, storage: FileStorage = this.storage) {
    const { db } = this.api;
    const log = createLogger('test', 'silent');
    const bundles = new BundlesRepository(db, new LimitsService(db, limitSettings));
    const deployments = new DeploymentsRepository(db);
    const clock = () => new Date(Date.now() + hoursLater * HOUR_MS);
    const config = { EDGE_MAX_STALENESS: 0 };
    const objects = new StoredObjectsRepository(db);
    const collection = new DeploymentCollection(
      bundles,
      new IdleObjects(storage, objects, log),
      deployments,
      config,
      clock,
    );
    return { bundles, objects, collection };
  }

  /** The stored objects, by key. */
  async stored(): Promise<string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.folder.length + 1))
      .sort();
  }
}
