import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@pets/platform';
import type { EdgeConfig } from '../platform/config.js';
import { DiskCache } from './disk-cache.js';

/**
 * A certificate that was not opened for longer has expired or was replaced. Those of removed domains are deleted at the
 * removal, but an edge that was away then, and loads a snapshot, does not learn of it.
 */
const CERTIFICATE_IDLE_MS = 100 * 24 * 3_600_000;

/** The caches on the disk of an edge, which its processes share. */
export interface DiskCaches {
  /** Sealed certificates by id, as JSON. */
  readonly certificates: DiskCache;
  /** Deployed files by SHA-256; undefined without a cache for them. */
  readonly siteFiles: DiskCache | undefined;
  close(): Promise<void>;
}

/** @param isEvictor for one process of the edge, which opens them before the others: `DiskCacheOptions` */
export async function openDiskCaches(config: EdgeConfig, isEvictor: boolean, log: Logger): Promise<DiskCaches> {
  const open = (name: string, maxBytes: number, maxIdleMs?: number) => {
    const folder = join(config.EDGE_DATA_DIR, 'cache', name);
    return DiskCache.open({ folder, maxBytes, ...(maxIdleMs !== undefined && { maxIdleMs }), isEvictor, log });
  };
  const certificates = await open('certificates', config.EDGE_CERTIFICATE_CACHE_BYTES, CERTIFICATE_IDLE_MS);
  const siteFiles = cachesSiteFiles(config) ? await open('site-files', config.EDGE_SITE_CACHE_BYTES) : undefined;
  if (siteFiles === undefined && isEvictor)
    await rm(join(config.EDGE_DATA_DIR, 'cache', 'site-files'), { recursive: true, force: true });
  return {
    certificates,
    siteFiles,
    close: async () => void (await Promise.all([certificates.close(), siteFiles?.close()])),
  };
}

/** A local folder needs no second copy on a local disk. */
function cachesSiteFiles({ STORAGE_URL, EDGE_SITE_CACHE_BYTES }: EdgeConfig): boolean {
  return EDGE_SITE_CACHE_BYTES > 0 && STORAGE_URL.startsWith('s3://');
}
