import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { IgnoredFiles } from '@pets/contracts';
import type { FileStorage, Logger } from '@pets/platform';
import { encodeManifest, encodeSiteIndex, indexKey, manifestKey } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { uploadProgress } from '../../http/require-progress.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG, STORAGE } from '../../platform/providers.js';
import { ProjectsRepository } from '../projects.repository.js';
import { readBundleRules, type PublishedFiles } from './bundle-rules.js';
import { DeploymentRegistration } from './deployment-registration.service.js';
import { SiteIndexBuilder, type SiteFile } from './site-index.service.js';
import { contentsOf, unpackBundle, writeContents, type UnpackedBundle, type UploadLimits } from './unpack-bundle.js';
import { UploadSlots, UploadSpace } from './upload-slots.js';

/** Receives archives within the limits of their organization. */
@Injectable()
export class BundleReceiver {
  constructor(
    private readonly slots: UploadSlots,
    private readonly space: UploadSpace,
  ) {}

  /**
   * Unpacks an archive into a folder, which is deleted after the work.
   * @throws RequestError `rate_limited`, and those of `unpackBundle`
   */
  receive<Result>(
    organizationId: string,
    archive: Readable,
    checks: Pick<UploadLimits, 'allowed' | 'accept'>,
    work: (bundle: UnpackedBundle) => Promise<Result>,
  ): Promise<Result> {
    return this.slots.run(organizationId, async () => {
      const space = this.space.reserve(organizationId);
      const folder = await makeUploadFolder();
      try {
        return await work(await unpackBundle(archive, folder, { ...checks, progress: uploadProgress, space }));
      } finally {
        await deleteUploadFolder(folder);
        space.release();
      }
    });
  }
}

/** The stored files of a deployment. */
export interface StoredBundle {
  /** The name of the index. */
  readonly contentHash: string;
  /** The name of the manifest. */
  readonly filesHash: string;
  readonly bundleId: bigint;
  readonly files: number;
  readonly bytes: number;
  readonly ignored: IgnoredFiles;
}

/** An archive, as it arrives. */
interface Upload {
  readonly organizationId: string;
  readonly projectId: string;
  readonly bundle: Readable;
  /** Files that are published although they would be refused or left out. */
  readonly allowed: ReadonlySet<string>;
}

/** The files of a new deployment, after all checks. */
interface NewSite {
  readonly organizationId: string;
  readonly projectId: string;
  readonly files: readonly SiteFile[];
  readonly published: PublishedFiles<SiteFile>;
  readonly ignored: IgnoredFiles;
}

/** Checks and stores the files of deployments, before a deployment is created from them. */
@Injectable()
export class BundleStorage {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly receiver: BundleReceiver,
    private readonly registration: DeploymentRegistration,
    private readonly indexes: SiteIndexBuilder,
    private readonly budget: DatabaseBudget,
  ) {}

  /**
   * The slow part of a deployment, outside any transaction. Repeating it changes nothing.
   * @throws RequestError `not_found`, `rate_limited`, `storage_limit_reached`, and those of `unpackBundle`
   */
  async store({ organizationId, projectId, bundle, allowed }: Upload): Promise<StoredBundle> {
    await this.projects.get(organizationId, projectId);
    await this.budget.require(organizationId);
    return this.receiver.receive(organizationId, bundle, { allowed }, async ({ files, ignored }) => {
      const published = await readBundleRules(files, ({ unpackedAt }) => readFile(unpackedAt));
      const site = { organizationId, projectId, files, published, ignored };
      return this.storeSite(site, () => writeContents(this.storage, published.files));
    });
  }

  /**
   * Stores the manifest and the index of a deployment.
   * @param writeFiles writes contents that may not be stored yet, once they are registered
   * @throws RequestError `storage_limit_reached`
   */
  async storeSite(
    { organizationId, projectId, files, published, ignored }: NewSite,
    writeFiles: () => Promise<void>,
  ): Promise<StoredBundle> {
    const { filesHash, gzipped } = await encodeManifest(files);
    const { contentHash, files: index } = await this.indexes.build(projectId, published.files, filesHash);
    const manifest = { key: manifestKey(filesHash), bytes: gzipped };
    const encoded = { key: indexKey(contentHash), bytes: encodeSiteIndex(contentHash, index, published.rules) };
    const objects = [manifest, encoded].map(({ key, bytes }) => ({ key, bytes: bytes.length }));
    const bundleId = await this.registration.register(organizationId, contentHash, [
      ...contentsOf(published.files),
      ...objects,
    ]);
    await writeFiles();
    // The index is last: a deployment exists when its index does.
    for (const { key, bytes } of [manifest, encoded]) await this.storage.write(key, bytes);
    const bytes = published.files.reduce((sum, file) => sum + file.bytes, 0);
    return { contentHash, filesHash, bundleId, files: published.files.length, bytes, ignored };
  }
}

const PREFIX = 'pets-bundle-';

/** More than any upload takes: the server ends a request after five minutes. */
const MAX_AGE_MS = 60 * 60 * 1_000;

/** Creates a temporary folder for one upload. Its name contains the host and the process id. */
export function makeUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${hostname()}-${process.pid}-`));
}

function deleteUploadFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/**
 * Deletes the folders of processes that died. Those of other hosts, which may share the disk, are deleted by their age.
 * @param isStarting whether this process has created no folder yet, so that folders with its id are from an earlier process
 * @returns how many
 */
export async function deleteAbandonedFolders(now: Date, isStarting: boolean): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  let deleted = 0;
  for (const name of names) {
    const folder = join(tmpdir(), name);
    const isAbandoned = hasDied(name, isStarting) || now.getTime() - (await changedAtMs(folder)) > MAX_AGE_MS;
    if (!isAbandoned) continue;
    await deleteUploadFolder(folder);
    deleted += 1;
  }
  return deleted;
}

function hasDied(name: string, isStarting: boolean): boolean {
  const own = `${PREFIX}${hostname()}-`;
  const pid = name.startsWith(own) ? /^(\d+)-/.exec(name.slice(own.length))?.[1] : undefined;
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return isStarting;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** A folder that was deleted in the meantime counts as new. */
async function changedAtMs(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return Infinity;
  }
}

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 1_000;
const FAILURE = 'leftovers of interrupted uploads not deleted';

/** Writing one file takes seconds. */
const ABANDONED_AFTER_MS = 60 * 60 * 1_000;

/** Deletes the leftovers of interrupted uploads: temporary folders (also at start), unfinished objects, and rows. */
@Injectable()
export class UploadsSweeper implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly slots: UploadSlots,
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.clear(limit) });
  }

  async onApplicationBootstrap(): Promise<void> {
    try {
      // Tests run several APIs in one process: only the first may treat folders with its process id as old.
      await deleteAbandonedFolders(this.clock(), !hasStarted);
      hasStarted = true;
    } catch (error) {
      this.log.warn({ err: error }, FAILURE);
    }
  }

  private async clear(limit: number): Promise<number> {
    await deleteAbandonedFolders(this.clock(), false);
    await this.storage.deleteAbandoned(new Date(this.clock().getTime() - ABANDONED_AFTER_MS));
    return this.slots.deleteExpired(limit);
  }
}

let hasStarted = false;
