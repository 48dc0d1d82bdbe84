import type { RouteReplica } from '../routing/replica.js';
import type { DiskCache } from '../disk-cache/disk-cache.js';
import type { DiskCaches } from '../disk-cache/open-disk-caches.js';
import type { RouteStore } from '../store/route-store.js';
import type { SiteFiles } from '../http/site-files.js';
import type { PendingWrites } from '../sending/pending-writes.js';
import type { ConnectionQuota } from '../tls/connection-quota.js';
import type { SecureContexts } from '../tls/secure-contexts.js';
import type { EdgeMetrics } from './edge-metrics.js';

export interface DescribedParts {
  readonly store: Pick<RouteStore, 'hosts' | 'position'>;
  readonly replica: Pick<RouteReplica, 'contactAtMs' | 'mayServe'>;
  readonly contexts: Pick<SecureContexts, 'size' | 'bytes'>;
  readonly disks: Pick<DiskCaches, 'certificates' | 'siteFiles'>;
  readonly quota: Pick<ConnectionQuota, 'open'>;
  readonly writes: Pick<PendingWrites, 'heldBytes'>;
  readonly files: Pick<SiteFiles, 'activeReads'>;
}

/** Gauges of the edge's current state, read when Prometheus scrapes: they cost requests nothing. */
export function describeEdge(metrics: EdgeMetrics, parts: DescribedParts, now: () => number): void {
  const { store, replica, contexts, disks, quota, writes, files } = parts;
  const secondsSince = (atMs: number | undefined) => (atMs === undefined ? undefined : (now() - atMs) / 1_000);

  metrics.gauge('edge_routes', 'Hosts in the route table', () => store.hosts);
  metrics.gauge('edge_feed_version', 'Applied version of the feed', () => store.position.version);
  metrics.gauge(
    'edge_feed_lag_seconds',
    'Time since the last contact with the API at which every change was applied',
    () => secondsSince(replica.contactAtMs),
  );
  metrics.gauge(
    'edge_serving',
    'Whether routes may be served: 0 before the first contact with the API and after the lease has expired',
    () => (replica.mayServe ? 1 : 0),
  );
  metrics.gauge('edge_certificates_open', 'Certificates in memory, ready for handshakes', () => contexts.size);
  metrics.gauge(
    'edge_certificate_memory_bytes',
    'Memory of the open certificates, approximately',
    () => contexts.bytes,
  );
  describeDisk(metrics, 'edge_certificates_stored', 'Sealed certificates on disk', disks.certificates);
  describeDisk(metrics, 'edge_site_files_stored', 'Deployed files on disk', disks.siteFiles);
  metrics.gauge('edge_connections', 'Open connections', () => quota.open);
  metrics.gauge(
    'edge_unsent_bytes',
    'Memory for response data that clients have not taken yet',
    () => writes.heldBytes,
  );
  metrics.gauge('edge_storage_reads', 'Reads from the storage in progress', () => files.activeReads);
}

/** The evicting process counts them, from time to time. */
function describeDisk(metrics: EdgeMetrics, name: string, help: string, disk: DiskCache | undefined): void {
  metrics.gauge(name, help, () => disk?.size?.entries);
  metrics.gauge(`${name}_bytes`, `${help}, in bytes`, () => disk?.size?.bytes);
}
