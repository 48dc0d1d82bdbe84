import { statfs } from 'node:fs/promises';
import { Counter, type Registry } from '@pets/platform';
import type { DiskCache, DiskCaches } from '../disk-cache/disk-cache.js';
import type { Forwarder } from '../forward/forwarder.js';
import type { SiteFiles } from '../http/site-files.js';
import { addGauge } from '../metrics/edge-metrics.js';
import type { PendingWrites } from '../sending/pending-writes.js';
import type { ConnectionQuota } from '../tls/connection-quota.js';
import type { PlatformCertificate } from '../tls/platform-certificate.js';
import type { SecureContexts } from '../tls/secure-contexts.js';
import type { ProcessCounts } from './serving-side.js';

/** Gauges of the edge's current state, read when Prometheus scrapes: they cost requests nothing. */

export interface FeedState extends ProcessCounts {
  readonly hosts: number;
  readonly version: number;
  /** When everything published was known here for the last time; undefined before the first contact. */
  readonly contactAtMs: number | undefined;
  readonly mayServe: boolean;
  /** How far the last contact was ahead of a clock that was set back. */
  readonly contactAheadMs: number;
  /** Applications that the edge cannot connect to. */
  readonly failingOrigins: number;
}

/** Adds the metrics of the feed process, once for the edge. */
export function describeFeed(registry: Registry, state: () => FeedState, disks: DiskCaches, now: () => number): void {
  const gauge = (name: string, help: string, read: (state: FeedState) => number | undefined) =>
    addGauge(registry, name, help, () => read(state()));
  gauge('edge_routes', 'Hosts in the route table', ({ hosts }) => hosts);
  gauge('edge_feed_version', 'Applied version of the feed', ({ version }) => version);
  gauge(
    'edge_feed_lag_seconds',
    'Time since the last contact with the API at which every change was applied',
    ({ contactAtMs }) => (contactAtMs === undefined ? undefined : (now() - contactAtMs) / 1_000),
  );
  gauge(
    'edge_serving',
    'Whether routes may be served: 0 before the first contact with the API and after the lease has expired',
    ({ mayServe }) => (mayServe ? 1 : 0),
  );
  gauge(
    'edge_contact_ahead_seconds',
    'How far the last contact was ahead of the clock, which was set back; 0 after another contact',
    ({ contactAheadMs }) => contactAheadMs / 1_000,
  );
  describeDisk(registry, 'edge_certificates_stored', 'Sealed certificates on disk', disks.certificates);
  describeDisk(registry, 'edge_site_files_stored', 'Deployed files on disk', disks.siteFiles);
  gauge(
    'edge_origins_failing',
    'Applications that this edge cannot connect to, of those that it has tried because of a failure',
    ({ failingOrigins }) => failingOrigins,
  );
  gauge('edge_processes', 'Serving processes that accept connections', ({ listening }) => listening);
  new Counter({
    name: 'edge_process_restarts_total',
    help: 'Serving processes that were started to replace one that had ended',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(state().restarts);
    },
  });
}

export interface ServingState {
  readonly contexts: Pick<SecureContexts, 'size' | 'bytes'>;
  readonly platform: Pick<PlatformCertificate, 'endsAt'>;
  readonly quota: Pick<ConnectionQuota, 'open'>;
  readonly writes: Pick<PendingWrites, 'heldBytes'>;
  readonly files: Pick<SiteFiles, 'activeReads'>;
  readonly forwarder: Pick<Forwarder, 'active' | 'webSockets' | 'connections'>;
}

/** Adds the metrics of one serving process; `/metrics` has the sums, or the extreme (`aggregateMetrics`). */
export function describeServing(
  registry: Registry,
  { contexts, platform, quota, writes, files, forwarder }: ServingState,
): void {
  const gauge = (name: string, help: string, read: () => number) => addGauge(registry, name, help, read);
  gauge('edge_certificates_open', 'Certificates in memory, ready for handshakes', () => contexts.size);
  gauge('edge_certificate_memory_bytes', 'Memory of the open certificates, approximately', () => contexts.bytes);
  gauge(
    'edge_platform_certificate_expiry_timestamp_seconds',
    'When the certificate of the platform’s names expires; 0 while a process has none',
    () => (platform.endsAt?.getTime() ?? 0) / 1_000,
  );
  gauge('edge_connections', 'Open connections', () => quota.open);
  gauge('edge_unsent_bytes', 'Memory for response data that clients have not taken yet', () => writes.heldBytes);
  gauge('edge_forwarded_requests', 'Requests to applications in progress', () => forwarder.active);
  gauge('edge_web_sockets', 'Open WebSockets to applications', () => forwarder.webSockets);
  gauge('edge_origin_connections', 'Connections to applications', () => forwarder.connections);
  gauge('edge_storage_reads', 'Reads from the storage in progress', () => files.activeReads);
}

/** The file system of the edge's folder. */
export function describeDiskSpace(registry: Registry, folder: string): void {
  const gauge = (name: string, help: string, blocks: 'blocks' | 'bavail') =>
    addGauge(registry, name, help, async () => {
      const space = await statfs(folder).catch(() => undefined);
      return space && space[blocks] * space.bsize;
    });
  gauge('edge_disk_size_bytes', 'Size of the file system of EDGE_DATA_DIR', 'blocks');
  gauge('edge_disk_available_bytes', 'What the edge may still write there', 'bavail');
}

/** The feed process counts them from time to time, because it evicts. */
function describeDisk(registry: Registry, name: string, help: string, disk: DiskCache | undefined): void {
  addGauge(registry, name, help, () => disk?.size?.entries);
  addGauge(registry, `${name}_bytes`, `${help}, in bytes`, () => disk?.size?.bytes);
}
