import { originFailures } from '@pets/contracts/edge-feed';
import { Counter, Gauge, type Histogram, type Registry } from '@pets/platform';
import { sendEndReasons, type SendEndReason } from '../sending/pending-writes.js';

/** How a handshake ended. `failed`: the client disconnected, was too slow, or supports no TLS version of the edge. */
const handshakeResults = [
  'completed',
  'unknown_name',
  'no_certificate',
  'not_covered',
  'certificate_unavailable',
  'failed',
] as const;
export type HandshakeResult = (typeof handshakeResults)[number];

/** The limit that refused a connection: open ones of an `address` or in `total` (`evicted`: closed for another), or waiting `handshakes`. */
const refusals = ['address', 'total', 'evicted', 'handshakes', 'proxy_header'] as const;
type Refusal = (typeof refusals)[number];

/** Reasons why the edge ended an HTTP/2 session. */
const sessionEndings = ['ping_flood', 'settings_flood', 'idle', 'stalled'] as const;
export type SessionEnding = (typeof sessionEndings)[number];

const certificateOrigins = ['storage', 'api'] as const;
export type CertificateOrigin = (typeof certificateOrigins)[number];

const fetchResults = ['fetched', 'absent', 'failed'] as const;
export type FetchResult = (typeof fetchResults)[number];

const protocols = ['http/1.0', 'http/1.1', 'http/2'] as const;
export type Protocol = (typeof protocols)[number];

/**
 * The end of a forwarded request: `answered` by the application; a failure of the application or on the way to it; `left` by
 * the visitor; `refused` because of the request itself; `body_timeout` when the visitor sent its body too slowly.
 */
const forwardOutcomes = ['answered', ...originFailures, 'left', 'refused', 'body_timeout'] as const;
export type ForwardOutcome = (typeof forwardOutcomes)[number];

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** For clients that disconnected before a response: no error of the edge. */
const UNANSWERED = '4xx';

/** From a small page in memory to a file for a slow client. Each bucket is a series. */
const DURATION_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10];

/**
 * The counters of the edge. No label contains anything that a visitor sent, such as a host: the number of series would be
 * unbounded. The series of each label are created once, so that counting is an addition.
 */
export class EdgeMetrics {
  readonly registry: Registry;
  readonly #handshakes;
  readonly #refused;
  readonly #sessionsEnded;
  readonly #repliesEnded;
  readonly #certificateLookups;
  readonly #certificateFetches;
  readonly #requests;
  readonly #forwarded;
  readonly #observeSeconds;
  readonly #protocolErrors;

  constructor(registry: Registry) {
    this.registry = registry;
    this.#handshakes = createCounter(registry, {
      name: 'edge_handshakes_total',
      help: 'TLS handshakes by result',
      label: 'result',
      values: handshakeResults,
    });
    this.#certificateLookups = createCounter(registry, {
      name: 'edge_certificate_lookups_total',
      help: 'Certificate lookups of handshakes',
      label: 'result',
      values: ['hit', 'miss'],
    });
    this.#refused = createCounter(registry, {
      name: 'edge_connections_refused_total',
      help: 'Connections refused because of a limit',
      label: 'limit',
      values: refusals,
    });
    this.#sessionsEnded = createCounter(registry, {
      name: 'edge_http2_sessions_ended_total',
      help: 'HTTP/2 sessions ended by the edge',
      label: 'reason',
      values: sessionEndings,
    });
    this.#repliesEnded = createCounter(registry, {
      name: 'edge_replies_ended_total',
      help: 'Responses ended by the edge before the client took them completely',
      label: 'reason',
      values: sendEndReasons,
    });
    this.#certificateFetches = createPairCounter(registry, {
      name: 'edge_certificate_fetches_total',
      help: 'Fetches of sealed certificates by origin and result',
      labels: ['origin', 'result'],
      values: [certificateOrigins, fetchResults],
    });
    this.#requests = createPairCounter(registry, {
      name: 'edge_requests_total',
      help: 'Requests by status and protocol, aborted ones included',
      labels: ['status', 'protocol'],
      values: [statusClasses, protocols],
    });
    this.#forwarded = createCounter(registry, {
      name: 'edge_forwarded_requests_total',
      help: 'Requests to applications by outcome',
      label: 'outcome',
      values: forwardOutcomes,
    });
    this.#observeSeconds = createHistogram(registry, {
      name: 'edge_request_duration_seconds',
      help: 'Time from the head of a request to the end of its response',
      bounds: DURATION_BUCKETS_SECONDS,
    });
    this.#protocolErrors = new Counter({
      name: 'edge_protocol_errors_total',
      help: 'Connections ended because the client sent invalid HTTP',
      registers: [registry],
    });
  }

  handshake(result: HandshakeResult): void {
    this.#handshakes[result] += 1;
  }

  connectionRefused(limit: Refusal): void {
    this.#refused[limit] += 1;
  }

  sessionEnded(reason: SessionEnding): void {
    this.#sessionsEnded[reason] += 1;
  }

  sendEnded(reason: SendEndReason): void {
    this.#repliesEnded[reason] += 1;
  }

  certificateLookUp(result: 'hit' | 'miss'): void {
    this.#certificateLookups[result] += 1;
  }

  certificateFetched(origin: CertificateOrigin, result: FetchResult): void {
    this.#certificateFetches[origin][result] += 1;
  }

  /** @param status 0 without a response */
  request(status: number, protocol: Protocol, durationMs: number): void {
    const statusClass = statusClasses[Math.floor(status / 100) - 1] ?? UNANSWERED;
    this.#requests[statusClass][protocol] += 1;
    this.#observeSeconds(durationMs / 1_000);
  }

  forwarded(outcome: ForwardOutcome): void {
    this.#forwarded[outcome] += 1;
  }

  protocolError(): void {
    this.#protocolErrors.inc();
  }
}

type Reading = number | undefined;

/** Adds a gauge that is read when Prometheus scrapes; undefined removes its value. @param read must not reject */
export function addGauge(registry: Registry, name: string, help: string, read: () => Reading | Promise<Reading>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      // `reset` would leave a 0.
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

interface CounterOptions<Value extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly values: readonly Value[];
}

/** A counter as plain numbers, because some are incremented at each handshake; Prometheus reads them when it scrapes. */
function createCounter<Value extends string>(
  registry: Registry,
  { name, help, label, values }: CounterOptions<Value>,
): Record<Value, number> {
  const counts = recordOf(values, () => 0);
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const value of values) this.inc({ [label]: value }, counts[value]);
    },
  });
  return counts;
}

interface PairCounterOptions<First extends string, Second extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly [string, string];
  readonly values: readonly [readonly First[], readonly Second[]];
}

/** The same with two labels. */
function createPairCounter<First extends string, Second extends string>(
  registry: Registry,
  { name, help, labels: [firstLabel, secondLabel], values: [firsts, seconds] }: PairCounterOptions<First, Second>,
): Record<First, Record<Second, number>> {
  const counts = recordOf(firsts, () => recordOf(seconds, () => 0));
  new Counter({
    name,
    help,
    labelNames: [firstLabel, secondLabel],
    registers: [registry],
    collect() {
      this.reset();
      for (const first of firsts)
        for (const second of seconds) this.inc({ [firstLabel]: first, [secondLabel]: second }, counts[first][second]);
    },
  });
  return counts;
}

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** The upper bounds of the buckets, in ascending order. */
  readonly bounds: readonly number[];
}

/**
 * A histogram as plain numbers, which Prometheus reads when it scrapes: `observe` of prom-client was 2 to 3 % of the
 * processor time of a request.
 * @returns counts a value
 */
function createHistogram(registry: Registry, { name, help, bounds }: HistogramOptions): (value: number) => void {
  const counts = bounds.map(() => 0);
  let [count, sum] = [0, 0];
  const bucket = (le: number | '+Inf', value: number) => ({ labels: { le }, value, metricName: `${name}_bucket` });
  const read = () => {
    let below = 0;
    return [
      ...bounds.map((bound, index) => bucket(bound, (below += counts[index] ?? 0))),
      bucket('+Inf', count),
      { labels: {}, value: sum, metricName: `${name}_sum` },
      { labels: {}, value: count, metricName: `${name}_count` },
    ];
  };
  const get = () => Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: read() });
  // The registry asks its metrics only for their names and for `get`; the types require a class.
  registry.registerMetric({ name, help, get } as unknown as Histogram);
  return (value) => {
    count += 1;
    sum += value;
    let index = 0;
    while (value > (bounds[index] ?? Infinity)) index += 1;
    if (index < counts.length) counts[index] = (counts[index] ?? 0) + 1;
  };
}

function recordOf<Name extends string, Value>(
  names: readonly Name[],
  create: (name: Name) => Value,
): Record<Name, Value> {
  // `fromEntries` does not know that the keys are exactly the names.
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<Name, Value>;
}
