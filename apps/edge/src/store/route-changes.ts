import { PLATFORM_CERTIFICATE, type EdgeRoute, type EdgeSessionMessage } from '@pets/contracts/edge-feed';
import type { StorePosition } from './table-schema.js';

export type FeedBatch = Extract<EdgeSessionMessage, { kind: 'batch' }>;

/** The effects of a batch on what the serving processes hold in memory. */
export interface TableChange {
  /** Every host or wildcard whose row was written or deleted: a cached row of it is outdated. */
  readonly hosts: readonly string[];
  /** Rows that are not served any more: the connections that they answered must end. */
  readonly stoppedHosts: readonly string[];
  /** Certificates that were replaced by another one for the same host. */
  readonly renewals: readonly { readonly from: string; readonly to: string }[];
  /** Certificates that the changed hosts do not use any more. */
  readonly droppedCertificates: readonly string[];
}

export type BatchOutcome =
  { readonly kind: 'gap'; readonly reason: string } | { readonly kind: 'applied'; readonly change: TableChange };

/** The route of a host before and after a batch. */
export interface RouteChange {
  readonly host: string;
  readonly was: EdgeRoute | undefined;
  readonly is: EdgeRoute | undefined;
}

/** Returns why a batch cannot follow a position; undefined when it can. */
export function findGap(position: StorePosition, batch: FeedBatch): string | undefined {
  const { epoch, version } = position;
  if (batch.epoch !== epoch) return `epoch ${batch.epoch} follows ${epoch || 'nothing'} without a snapshot`;
  if (batch.after !== version) return `a batch after ${batch.after} does not follow version ${version}`;
  if (batch.version < batch.after) return `version ${batch.version} is older than ${batch.after}`;
  return undefined;
}

/** The position after a batch that follows the one before. */
export function positionAfter({ epoch, version, thumbprint, platformCertificate }: FeedBatch): StorePosition {
  return { epoch, version, thumbprint, platformCertificate };
}

export function summarize(changes: readonly RouteChange[]): TableChange {
  const certificates = changes
    .map(({ was, is }) => ({ from: downloadedCertificate(was), to: downloadedCertificate(is) }))
    .filter(({ from, to }) => from !== to);
  return {
    hosts: changes.map(({ host }) => host),
    stoppedHosts: changes.filter(hasStopped).map(({ host }) => host),
    renewals: certificates.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [{ from, to }])),
    droppedCertificates: [...new Set(certificates.flatMap(({ from }) => from ?? []))],
  };
}

function hasStopped({ was, is }: RouteChange): boolean {
  if (was === undefined) return false;
  if (is === undefined) return true;
  if (was.certificateId !== null && is.certificateId === null) return true;
  return isServing(was) && !isServing(is);
}

function isServing({ serve }: EdgeRoute): boolean {
  return serve !== null && serve.kind !== 'suspended' && serve.kind !== 'excluded';
}

/** The platform certificate changes without its routes (`PlatformCertificate`). */
function downloadedCertificate(route: EdgeRoute | undefined): string | undefined {
  const id = route?.certificateId ?? undefined;
  return id === PLATFORM_CERTIFICATE ? undefined : id;
}
