import {
  originHealthStates,
  queues,
  revocationCheckResults,
  type OriginHealthState,
  type RevocationCheckResult,
} from '@pets/contracts';
import type { WorkKind } from '@pets/domains';
import {
  droppedReasons,
  type DroppedReason,
  type MessageObserver,
  type Messaging,
  type QueueName,
} from '@pets/messaging';
import { Counter, Gauge, Histogram, Registry, withLogFields, type LogFields, type Logger } from '@pets/platform';

/** From OpenTelemetry's semantic conventions for HTTP servers. */
const REQUEST_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** From a noticeable delay to a worker that does not run. */
const LAG_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
/** From a domain with correct DNS to the end of polling. */
const TO_LIVE_BUCKETS_SECONDS = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 172_800];
const EVENT_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One answer. The route is its template; null, like the method, of what never became a request. */
interface AnsweredRequest {
  readonly method: string | null;
  readonly route: string | null;
  readonly status: number;
  /** Null where it was not measured. */
  readonly ms: number | null;
}

const knownMethods: ReadonlySet<string | null> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The metrics that this process counts. No label contains a value that a client or customer chose, which would be
 * unbounded: a request without a route has an empty one, and an unknown method is `_OTHER`.
 */
export class ApiMetrics implements MessageObserver {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response; for an event stream, the time it was open',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'] as const,
    buckets: REQUEST_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #dispatchLag = new Histogram({
    name: 'pets_dispatch_lag_seconds',
    help: 'Time from when work was due to when it was claimed for dispatch',
    labelNames: ['kind'] as const,
    buckets: LAG_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #toLive = new Histogram({
    name: 'pets_domain_time_to_live_seconds',
    help: 'Time until an edge served a domain, since it was added and since its DNS was verified',
    labelNames: ['since'] as const,
    buckets: TO_LIVE_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #events = new Histogram({
    name: 'pets_event_handling_duration_seconds',
    help: 'Time to handle an event from the worker, by result',
    labelNames: ['event', 'result'] as const,
    buckets: EVENT_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #webhooks = new Counter({
    name: 'pets_webhook_attempts_total',
    help: 'Webhook delivery attempts, by result',
    labelNames: ['verdict'] as const,
    registers: [this.registry],
  });
  readonly #failedReadings = new Counter({
    name: 'pets_readings_failed_total',
    help: 'Failed reads of the database or the queues for these metrics',
    labelNames: ['source'] as const,
    registers: [this.registry],
  });
  readonly #droppedMessages = new Counter({
    name: 'pets_messages_dropped_total',
    help: 'Messages dropped from the queues because their MAC is missing or wrong, by reason: their sender has no key',
    labelNames: ['queue', 'reason'] as const,
    registers: [this.registry],
  });

  readonly #snapshotBuilds = new Counter({
    name: 'pets_edge_snapshot_builds_total',
    help: 'Builds of a snapshot of the routes for edges, by result',
    labelNames: ['result'] as const,
    registers: [this.registry],
  });
  readonly #deletedRows = new Counter({
    name: 'pets_retention_deleted_rows_total',
    help: 'Rows deleted because their life was over, by table',
    labelNames: ['table'] as const,
    registers: [this.registry],
  });

  readonly #backgroundFailures = new Counter({
    name: 'pets_background_failures_total',
    help: 'Failed rounds of background work that is tried again, by what was not done',
    labelNames: ['failure'] as const,
    registers: [this.registry],
  });
  readonly #revocationChecks = new Counter({
    name: 'pets_revocation_checks_total',
    help: 'Checks of the revocation lists of uploaded certificates, by result; unknown if the list could not be used',
    labelNames: ['result'] as const,
    registers: [this.registry],
  });

  readonly #originReports = new Counter({
    name: 'pets_origin_reports_total',
    help: 'Opinions of edges about whether they can connect to an application, by what they say',
    labelNames: ['opinion'] as const,
    registers: [this.registry],
  });

  constructor() {
    // A series that appears with its first failure shows no increase.
    for (const queue of [queues.events, queues.awaitedEvents])
      for (const reason of droppedReasons) this.#droppedMessages.inc({ queue, reason }, 0);
    for (const result of revocationCheckResults) this.#revocationChecks.inc({ result }, 0);
    for (const opinion of originHealthStates) this.#originReports.inc({ opinion }, 0);
    for (const result of ['built', 'failed'] as const) this.#snapshotBuilds.inc({ result }, 0);
    for (const source of ['database', 'queues'] as const) this.#failedReadings.inc({ source }, 0);
  }

  request({ method, route, status, ms }: AnsweredRequest): void {
    if (ms === null) return;
    const labels = {
      http_request_method: method !== null && knownMethods.has(method) ? method : '_OTHER',
      http_route: route ?? '',
      http_response_status_code: String(status),
    };
    this.#requests.observe(labels, ms / 1_000);
  }

  revocationListChecked(result: RevocationCheckResult): void {
    this.#revocationChecks.inc({ result });
  }

  originReported(opinion: OriginHealthState): void {
    this.#originReports.inc({ opinion });
  }

  dispatched(kind: WorkKind, lateSeconds: number): void {
    this.#dispatchLag.observe({ kind }, Math.max(lateSeconds, 0));
  }

  wentLive({ addedAt, verifiedAt }: { addedAt: Date; verifiedAt: Date | null }, now: Date): void {
    const observe = (since: 'added' | 'verified', at: Date) =>
      this.#toLive.observe({ since }, Math.max(now.getTime() - at.getTime(), 0) / 1_000);
    observe('added', addedAt);
    if (verifiedAt !== null) observe('verified', verifiedAt);
  }

  event(event: string, result: 'handled' | 'failed', durationMs: number): void {
    this.#events.observe({ event, result }, durationMs / 1_000);
  }

  webhookAttempt(verdict: 'delivered' | 'retry' | 'exhausted' | 'gone'): void {
    this.#webhooks.inc({ verdict });
  }

  dropped(queue: QueueName, reason: DroppedReason): void {
    this.#droppedMessages.inc({ queue, reason });
  }

  snapshotBuild(result: 'built' | 'failed'): void {
    this.#snapshotBuilds.inc({ result });
  }

  deletedRows(table: string, count: number): void {
    this.#deletedRows.inc({ table }, count);
  }

  /** @param failure one of few constant texts */
  backgroundFailure(failure: string): void {
    this.#backgroundFailures.inc({ failure });
  }

  readingFailed(source: 'database' | 'queues'): void {
    this.#failedReadings.inc({ source });
  }

  /** A value that is read on each scrape. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/**
 * Wraps messaging: measures and logs the handling of each event, and adds event, domain and attempt to its log lines.
 */
export function observeEvents(messaging: Messaging, metrics: ApiMetrics, log: Logger): Messaging {
  return {
    ...messaging,
    consumeEvents: (process, options) =>
      messaging.consumeEvents(
        (job) =>
          withLogFields(fieldsOf(job), async () => {
            const beganMs = performance.now();
            const record = (result: 'handled' | 'failed') => {
              const ms = performance.now() - beganMs;
              metrics.event(job.name, result, ms);
              log.info({ result, ms: Math.round(ms * 10) / 10 }, 'event');
            };
            try {
              await process(job);
            } catch (error) {
              record('failed');
              throw error;
            }
            record('handled');
          }),
        options,
      ),
  };
}

const loggedFields = ['domainId', 'generation', 'attempt', 'deliveryId'] as const;

/** The payload is not validated yet. */
function fieldsOf({ name, data }: { readonly name: string; readonly data: unknown }): LogFields {
  const payload = typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  const known = loggedFields.flatMap((field) => {
    const value = payload[field];
    return typeof value === 'string' || typeof value === 'number' ? [[field, value] as const] : [];
  });
  return { event: name, ...Object.fromEntries(known) };
}
