import { sql } from 'kysely';
import { applyMigrations, type SchemaMigration } from './apply-migrations.js';
import type { Database } from './database.js';
import * as initial from './migrations/0001-initial.js';
import * as orders from './migrations/0002-orders.js';
import * as apiKeys from './migrations/0003-api-keys.js';
import * as idempotency from './migrations/0004-idempotency.js';
import * as petsJson from './migrations/0005-pets-json.js';
import * as historyActors from './migrations/0006-history-actors.js';
import * as certificateAttempts from './migrations/0007-certificate-attempts.js';
import * as deployments from './migrations/0008-deployments.js';
import * as trafficStopped from './migrations/0009-traffic-stopped.js';
import * as webhooks from './migrations/0010-webhooks.js';
import * as projectChanges from './migrations/0011-project-changes.js';
import * as nameServers from './migrations/0012-name-servers.js';
import * as traces from './migrations/0013-traces.js';
import * as limits from './migrations/0014-limits.js';
import * as suspendedRoutes from './migrations/0015-suspended-routes.js';
import * as uploads from './migrations/0016-uploads.js';
import * as certificateRevocations from './migrations/0017-certificate-revocations.js';
import * as issuedByName from './migrations/0018-issued-by-name.js';
import * as suspensions from './migrations/0019-suspensions.js';
import * as endedKeys from './migrations/0020-ended-keys.js';
import * as claimsBelowAName from './migrations/0021-claims-below-a-name.js';
import * as announcedAt from './migrations/0022-announced-at.js';
import * as platformRedirect from './migrations/0023-platform-redirect.js';
import * as planChanges from './migrations/0024-plan-changes.js';
import * as auditEvents from './migrations/0025-audit-events.js';
import * as storedObjects from './migrations/0026-stored-objects.js';
import * as deploymentIndexes from './migrations/0027-deployment-indexes.js';
import * as edgeRegions from './migrations/0028-edge-regions.js';
import * as edgeSessions from './migrations/0029-edge-sessions.js';
import * as certificateObjects from './migrations/0030-certificate-objects.js';
import * as certificateObjectIndexes from './migrations/0031-certificate-object-indexes.js';
import * as edgeSnapshots from './migrations/0032-edge-snapshots.js';
import * as edgeSnapshotIndexes from './migrations/0033-edge-snapshot-indexes.js';
import * as unusedKeyPositions from './migrations/0034-unused-key-positions.js';
import * as readingIndexes from './migrations/0035-reading-indexes.js';
import * as sharedReadings from './migrations/0036-shared-readings.js';
import * as domainCounts from './migrations/0037-domain-counts.js';
import * as domainCountRows from './migrations/0038-domain-count-rows.js';
import * as retentionTasks from './migrations/0039-retention-tasks.js';
import * as retentionIndexes from './migrations/0040-retention-indexes.js';
import * as publishedRoutes from './migrations/0041-published-routes.js';
import * as fairWork from './migrations/0042-fair-work.js';
import * as fairWorkIndexes from './migrations/0043-fair-work-indexes.js';
import * as releasedClaims from './migrations/0044-released-claims.js';
import * as retentionOfDomains from './migrations/0045-retention-of-domains.js';
import * as domainListIndexes from './migrations/0046-domain-list-indexes.js';
import * as queuedOrders from './migrations/0047-queued-orders.js';
import * as projectEvents from './migrations/0048-project-events.js';
import * as domainEventsByTime from './migrations/0049-domain-events-by-time.js';
import * as unchangedChecks from './migrations/0050-unchanged-checks.js';
import * as domainImports from './migrations/0051-domain-imports.js';
import * as usesOfNames from './migrations/0052-uses-of-names.js';
import * as repeatedNames from './migrations/0053-repeated-names.js';
import * as domainLabels from './migrations/0054-domain-labels.js';
import * as domainLabelIndexes from './migrations/0055-domain-label-indexes.js';
import * as domainsByChange from './migrations/0056-domains-by-change.js';
import * as delegations from './migrations/0057-delegations.js';
import * as acmeAccounts from './migrations/0058-acme-accounts.js';
import * as ordersByAccount from './migrations/0059-orders-by-account.js';
import * as preparations from './migrations/0060-preparations.js';
import * as preparedDomains from './migrations/0061-prepared-domains.js';
import * as movedDomains from './migrations/0062-moved-domains.js';
import * as wildcards from './migrations/0063-wildcards.js';
import * as coveredNames from './migrations/0064-covered-names.js';
import * as snapshotProtocols from './migrations/0066-snapshot-protocols.js';
import * as waitingRoutes from './migrations/0068-waiting-routes.js';
import * as ownCertificates from './migrations/0069-own-certificates.js';
import * as webhookListeners from './migrations/0073-webhook-listeners.js';
import * as webhookEvidence from './migrations/0074-webhook-evidence.js';
import * as webhookDeliveryIndexes from './migrations/0075-webhook-delivery-indexes.js';
import * as platformCertificate from './migrations/0077-platform-certificate.js';
import * as lastBackup from './migrations/0079-last-backup.js';
import * as people from './migrations/0081-people.js';
import * as claimedPeople from './migrations/0082-claimed-people.js';
import * as peopleByEnd from './migrations/0083-people-by-end.js';
import * as backupInterval from './migrations/0084-backup-interval.js';
import * as peopleScopes from './migrations/0085-people-scopes.js';
import * as creatorsOfKeys from './migrations/0087-creators-of-keys.js';
import * as organizationBytes from './migrations/0089-organization-bytes.js';
import * as webhookSlots from './migrations/0093-webhook-slots.js';
import * as listChecks from './migrations/0095-list-checks.js';
import * as listCheckIndexes from './migrations/0096-list-check-indexes.js';
import * as filesHash from './migrations/0097-files-hash.js';
import * as openOrders from './migrations/0101-open-orders.js';
import * as openOrderIndexes from './migrations/0102-open-order-indexes.js';
import * as zones from './migrations/0103-zones.js';
import * as publicAddresses from './migrations/0104-public-addresses.js';
import * as matchedAddressIndexes from './migrations/0105-matched-address-indexes.js';

/** In order; a released name never changes. */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
  '0001-initial': initial,
  '0002-orders': orders,
  '0003-api-keys': apiKeys,
  '0004-idempotency': idempotency,
  '0005-pets-json': petsJson,
  '0006-history-actors': historyActors,
  '0007-certificate-attempts': certificateAttempts,
  '0008-deployments': deployments,
  '0009-traffic-stopped': trafficStopped,
  '0010-webhooks': webhooks,
  '0011-project-changes': projectChanges,
  '0012-name-servers': nameServers,
  '0013-traces': traces,
  '0014-limits': limits,
  '0015-suspended-routes': suspendedRoutes,
  '0016-uploads': uploads,
  '0017-certificate-revocations': certificateRevocations,
  '0018-issued-by-name': issuedByName,
  '0019-suspensions': suspensions,
  '0020-ended-keys': endedKeys,
  '0021-claims-below-a-name': claimsBelowAName,
  '0022-announced-at': announcedAt,
  '0023-platform-redirect': platformRedirect,
  '0024-plan-changes': planChanges,
  '0025-audit-events': auditEvents,
  '0026-stored-objects': storedObjects,
  '0027-deployment-indexes': deploymentIndexes,
  '0028-edge-regions': edgeRegions,
  '0029-edge-sessions': edgeSessions,
  '0030-certificate-objects': certificateObjects,
  '0031-certificate-object-indexes': certificateObjectIndexes,
  '0032-edge-snapshots': edgeSnapshots,
  '0033-edge-snapshot-indexes': edgeSnapshotIndexes,
  '0034-unused-key-positions': unusedKeyPositions,
  '0035-reading-indexes': readingIndexes,
  '0036-shared-readings': sharedReadings,
  '0037-domain-counts': domainCounts,
  '0038-domain-count-rows': domainCountRows,
  '0039-retention-tasks': retentionTasks,
  '0040-retention-indexes': retentionIndexes,
  '0041-published-routes': publishedRoutes,
  '0042-fair-work': fairWork,
  '0043-fair-work-indexes': fairWorkIndexes,
  '0044-released-claims': releasedClaims,
  '0045-retention-of-domains': retentionOfDomains,
  '0046-domain-list-indexes': domainListIndexes,
  '0047-queued-orders': queuedOrders,
  '0048-project-events': projectEvents,
  '0049-domain-events-by-time': domainEventsByTime,
  '0050-unchanged-checks': unchangedChecks,
  '0051-domain-imports': domainImports,
  '0052-uses-of-names': usesOfNames,
  '0053-repeated-names': repeatedNames,
  '0054-domain-labels': domainLabels,
  '0055-domain-label-indexes': domainLabelIndexes,
  '0056-domains-by-change': domainsByChange,
  '0057-delegations': delegations,
  '0058-acme-accounts': acmeAccounts,
  '0059-orders-by-account': ordersByAccount,
  '0060-preparations': preparations,
  '0061-prepared-domains': preparedDomains,
  '0062-moved-domains': movedDomains,
  '0063-wildcards': wildcards,
  '0064-covered-names': coveredNames,
  '0066-snapshot-protocols': snapshotProtocols,
  '0068-waiting-routes': waitingRoutes,
  '0069-own-certificates': ownCertificates,
  '0073-webhook-listeners': webhookListeners,
  '0074-webhook-evidence': webhookEvidence,
  '0075-webhook-delivery-indexes': webhookDeliveryIndexes,
  '0077-platform-certificate': platformCertificate,
  '0079-last-backup': lastBackup,
  '0081-people': people,
  '0082-claimed-people': claimedPeople,
  '0083-people-by-end': peopleByEnd,
  '0084-backup-interval': backupInterval,
  '0085-people-scopes': peopleScopes,
  '0087-creators-of-keys': creatorsOfKeys,
  '0089-organization-bytes': organizationBytes,
  '0093-webhook-slots': webhookSlots,
  '0095-list-checks': listChecks,
  '0096-list-check-indexes': listCheckIndexes,
  '0097-files-hash': filesHash,
  '0101-open-orders': openOrders,
  '0102-open-order-indexes': openOrderIndexes,
  '0103-zones': zones,
  '0104-public-addresses': publicAddresses,
  '0105-matched-address-indexes': matchedAddressIndexes,
};

/**
 * Brings the database to this version of the code. A separate command runs it before the apps start, never an app:
 * several replicas may start at once, and a rolled-back app must not have changed the database.
 * @returns the names of the migrations that were applied
 * @throws Error with the cause; steps before it stay applied
 */
export function migrateDatabase(db: Database): Promise<readonly string[]> {
  return applyMigrations(db, migrations);
}

/** Whether the database has every migration of this code. @throws when it does not answer */
export async function isDatabaseCurrent(db: Database): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => applied.has(name));
}
