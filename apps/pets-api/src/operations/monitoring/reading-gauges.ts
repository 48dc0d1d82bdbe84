import { certificateAlerts, domainStates } from '@pets/contracts';
import { workKinds, type WorkKind } from '@pets/domains';
import type { QueueState } from '@pets/messaging';
import { CachedQuery, Gauge, type Registry } from '@pets/platform';
import { DAYS_LEFT } from './certificate-readings.js';
import type { TotalReadings } from './readings.repository.js';
import type { CurrentWork } from './readings.service.js';
import type { Shared } from './shared-reading.js';

/** The values of one metric, each with its labels. */
type Values = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

export interface ReadGauge<Reading> {
  readonly help: string;
  readonly labels?: readonly string[];
  /** All series, so that none disappears when there is nothing to count. */
  readonly values: (reading: Reading) => Values;
}

const kinds = Object.keys(workKinds) as WorkKind[]; // the keys of a literal
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
export const one = (value: number): Values => [[{}, value]];

/** Read from the database: equal on every replica, so aggregate with `max`, not `sum`. */
export const workGauges: Readonly<Record<string, ReadGauge<CurrentWork>>> = {
  pets_work_due: {
    help: 'Due work without a lease, by kind',
    labels: ['kind'],
    values: ({ overdue }) => kinds.map((kind) => [{ kind }, overdue.find((row) => row.kind === kind)?.count ?? 0]),
  },
  pets_work_oldest_due_seconds: {
    help: 'Seconds since the oldest work without a lease was due, by kind',
    labels: ['kind'],
    values: ({ overdue }) =>
      kinds.map((kind) => [{ kind }, overdue.find((row) => row.kind === kind)?.oldestSeconds ?? 0]),
  },
  pets_edge_feed_version: {
    help: 'Newest version of the edge feed',
    values: ({ edges }) => one(edges.feedVersion),
  },
  pets_edge_feed_versions_behind: {
    help: 'Feed versions that the slowest reachable edge has not applied yet',
    values: ({ edges }) => one(edges.versionsBehind),
  },
  pets_edge_feed_seconds_behind: {
    help: 'Seconds since the first change was published that the slowest reachable edge has not applied yet',
    values: ({ feedSecondsBehind }) => one(feedSecondsBehind),
  },
  pets_edge_snapshot_age_seconds: {
    help: 'Seconds since the newest snapshot of the routes was complete',
    values: ({ snapshot }) => (snapshot === null ? [] : one(snapshot.ageSeconds)),
  },
  pets_edge_snapshot_versions_behind: {
    help: 'Feed versions that the newest snapshot of the routes lacks',
    values: ({ snapshot }) => (snapshot === null ? [] : one(snapshot.versionsBehind)),
  },
  pets_edge_snapshot_bytes: {
    help: 'Bytes that the newest snapshot of the routes has in the storage',
    values: ({ snapshot }) => (snapshot === null ? [] : one(snapshot.bytes)),
  },
  pets_edge_snapshot_hosts: {
    help: 'Hosts in the newest snapshot of the routes',
    values: ({ snapshot }) => (snapshot === null ? [] : one(snapshot.hosts)),
  },
  pets_edges: {
    help: 'Edges by contact: reachable, or silent and possibly still serving',
    labels: ['contact'],
    values: ({ edges }) => [
      [{ contact: 'reachable' }, edges.reachable],
      [{ contact: 'silent' }, edges.silent],
    ],
  },
  pets_edges_failing_probes: {
    help: 'Reachable edges that failed several probes in a row which other edges passed',
    values: ({ edges }) => one(edges.failingProbes),
  },
  pets_origins_failing: {
    help: 'Applications that most edges cannot connect to',
    values: ({ origins }) => one(origins.failing),
  },
  pets_origins_watched: {
    help: 'Applications that at least one edge could not connect to, so that all are asked',
    values: ({ origins }) => one(origins.watched),
  },
  pets_database_clock_ahead_seconds: {
    help: 'How far the clock of the database is ahead of the clock of this process',
    values: ({ clockAheadSeconds }) => one(clockAheadSeconds),
  },
  pets_platform_certificate_fails_seconds: {
    help: 'Seconds since orders of the certificate of *.<platform domain> fail; 0 while they do not',
    values: ({ platformCertificateFailsSeconds: seconds }) => (seconds === null ? [] : one(seconds)),
  },
  pets_webhook_deliveries_pending: {
    help: 'Webhook deliveries that are not delivered yet and still attempted',
    values: ({ webhooks }) => one(webhooks.pending),
  },
  pets_webhook_oldest_due_seconds: {
    help: 'Seconds since the oldest webhook delivery was due',
    values: ({ webhooks }) => one(webhooks.oldestDueSeconds),
  },
  pets_retention_completed_seconds: {
    help: 'Seconds since all rows whose life was over were deleted, by table',
    labels: ['table'],
    values: ({ retention }) => retention.map(({ table, completedSeconds }) => [{ table }, completedSeconds]),
  },
  pets_retention_oldest_row_seconds: {
    help: 'Age of the oldest row that was left then, by table',
    labels: ['table'],
    values: ({ retention }) => retention.map(({ table, oldestSeconds }) => [{ table }, oldestSeconds]),
  },
};

type CountedDomains = TotalReadings['domains'][number];

const pointsHere = ({ state, misconfigured }: CountedDomains): boolean => state !== 'awaiting_dns' && !misconfigured;

/** Totals, likewise: one replica at a time reads them. */
export const totalGauges: Readonly<Record<string, ReadGauge<Shared<TotalReadings>>>> = {
  pets_totals_age_seconds: {
    help: 'Seconds since the totals of domains and certificates were read',
    values: ({ ageSeconds }) => one(ageSeconds),
  },
  pets_domains: {
    help: 'Domains by state',
    labels: ['state'],
    values: ({ value: { domains } }) =>
      domainStates
        .filter((state) => state !== 'removed')
        .map((state) => [{ state }, sum(domains.filter((row) => row.state === state).map(({ count }) => count))]),
  },
  pets_domains_misconfigured: {
    help: 'Verified and live domains whose DNS is no longer correct',
    values: ({ value: { domains } }) =>
      one(sum(domains.filter(({ misconfigured }) => misconfigured).map(({ count }) => count))),
  },
  pets_domain_certificate_alerts: {
    help: 'Domains that point here and have a certificate alert, by latest alert',
    labels: ['alert'],
    values: ({ value: { domains } }) =>
      certificateAlerts.map((alert) => [
        { alert },
        // The certificate of a name that its owner has moved away ends in time, and nobody needs to act.
        sum(domains.filter((row) => row.alert === alert && pointsHere(row)).map(({ count }) => count)),
      ]),
  },
  pets_certificates: {
    help: 'Automatic certificates in use: the newest of each domain',
    values: ({ value: { count } }) => one(count),
  },
  pets_certificates_ending_within: {
    help: 'Certificates in use that expire within the given number of days',
    labels: ['days'],
    values: ({ value: { endingWithin } }) =>
      DAYS_LEFT.map((days, index) => [{ days: String(days) }, endingWithin[index] ?? 0]),
  },
  pets_certificate_shortest_days_left: {
    help: 'Days until the first certificate in use expires; negative after that',
    values: ({ value: { shortestDaysLeft } }) => (shortestDaysLeft === null ? [] : one(shortestDaysLeft)),
  },
  pets_certificate_newest_age_seconds: {
    help: 'Seconds since an order of a domain succeeded last; since the first attempt while none has',
    values: ({ value: { newestIssueSeconds }, ageSeconds }) =>
      newestIssueSeconds === null ? [] : one(newestIssueSeconds + ageSeconds),
  },
  pets_own_certificates: {
    help: 'Uploaded certificates that can be served',
    values: ({ value: { uploads } }) => one(uploads.count),
  },
  pets_own_certificate_shortest_days_left: {
    help: 'Days until the first uploaded certificate expires; the automatic one takes its place before',
    values: ({ value: { uploads } }) => (uploads.shortestDaysLeft === null ? [] : one(uploads.shortestDaysLeft)),
  },
  pets_certificate_objects_pending: {
    help: 'Objects of certificates in the storage that are still to be written or deleted',
    labels: ['operation'],
    values: ({ value: { objects } }) => [
      [{ operation: 'write' }, objects.write],
      [{ operation: 'delete' }, objects.delete],
    ],
  },
  pets_ca_limit_used: {
    help: 'Highest use of each CA limit',
    labels: ['ca', 'limit'],
    values: ({ value: { limits } }) => limits.map((row) => [{ ca: hostOf(row), limit: row.limit }, row.used]),
  },
  pets_ca_limit: {
    help: 'Known CA limits',
    labels: ['ca', 'limit'],
    values: ({ value: { limits } }) => limits.map((row) => [{ ca: hostOf(row), limit: row.limit }, row.max]),
  },
  pets_orders_waiting: {
    help: 'Orders that wait for a slot of each CA',
    labels: ['ca'],
    values: ({ value: { queues } }) => queues.map((row) => [{ ca: hostOf(row) }, row.count]),
  },
  pets_orders_wait_seconds: {
    help: 'Seconds until the last of them has its slot, at the pace that the CA allows',
    labels: ['ca'],
    values: ({ value: { queues } }) => queues.map((row) => [{ ca: hostOf(row) }, row.waitSeconds]),
  },
  pets_orders_parked: {
    help: 'Orders below registered domains that are at a limit of a CA',
    labels: ['ca'],
    values: ({ value: { parked } }) => parked.map((row) => [{ ca: hostOf(row) }, row.count]),
  },
  pets_ca_account_paused_seconds: {
    help: 'Seconds until the end of the pause that a CA asked for',
    labels: ['ca'],
    values: ({ value: { queues } }) => queues.map((row) => [{ ca: hostOf(row) }, row.pausedSeconds]),
  },
};

/** Queues, likewise. */
export const queueGauges: Readonly<Record<string, ReadGauge<readonly QueueState[]>>> = {
  pets_queue_jobs: {
    help: 'Jobs in the queues by state',
    labels: ['queue', 'state'],
    values: (states) =>
      states.flatMap(({ queue, jobs }) =>
        Object.entries(jobs).map(([state, count]) => [{ queue, state }, count] as const),
      ),
  },
  pets_queue_oldest_waiting_seconds: {
    help: 'Seconds that the oldest job of a queue has waited for a worker',
    labels: ['queue'],
    values: (states) => states.map(({ queue, oldestWaitingMs }) => [{ queue }, oldestWaitingMs / 1_000]),
  },
};

/** Registers gauges over a reading. While there is none they have no series. */
export function registerGauges<Reading>(
  registry: Registry,
  gauges: Readonly<Record<string, ReadGauge<Reading>>>,
  reading: CachedQuery<Reading | null>,
): void {
  for (const [name, { help, labels = [], values }] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const current = await reading.current();
        this.reset();
        // After that a gauge without labels would report 0, which may be wrong.
        if (labels.length === 0) this.remove();
        for (const [labelled, value] of current === null ? [] : values(current)) this.set(labelled, value);
      },
    });
  }
}

function hostOf({ directoryUrl }: { readonly directoryUrl: string }): string {
  return new URL(directoryUrl).host;
}
