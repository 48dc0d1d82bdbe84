import { Counter, Gauge, Histogram, type Registry } from '@pets/platform';
import { sendEndings, type SendEnding } from '../sending/pending-writes.js';
import type { SessionEnding } from '../tls/session-guard.js';

/** How a handshake ended. `failed`: the client broke off, was too slow, or spoke no TLS that is served here. */
const handshakeResults = [
  'completed',
  'unknown_name',
  'no_certificate',
  'not_covered',
  'certificate_unavailable',
  'failed',
] as const;
export type HandshakeResult = (typeof handshakeResults)[number];

/** Limits that connections are refused by: `address` and `total` of open ones (`evicted`: for another), `handshakes` of waiting ones. */
const refusals = ['address', 'total', 'evicted', 'handshakes'] as const;
type Refusal = (typeof refusals)[number];

const sessionEndings = ['ping_flood', 'settings_flood', 'idle', 'stalled'] as const satisfies SessionEnding[];

const protocols = ['http/1.0', 'http/1.1', 'http/2'] as const;
export type Protocol = (typeof protocols)[number];

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
type StatusClass = (typeof statusClasses)[number];

/** Of who left before there was an answer: nothing went wrong here. */
const UNANSWERED = '4xx';

/** From a small page out of memory to a file for a slow client; each bucket is a series. */
const DURATION_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10];

/**
 * What the edge counts. No label ever holds what a visitor sent, a host above all: their number would have no bound. The
 * series of each label are made once, so that counting is an addition.
 */
export class EdgeMetrics {
  readonly #handshakes;
  readonly #refused;
  readonly #sessionsEnded;
  readonly #sendsEnded;
  readonly #lookUps;
  readonly #requests;
  readonly #durations;
  readonly #protocolErrors;

  constructor(readonly registry: Registry) {
    const registers = [registry];
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers });

    const byResult = { registry, label: 'result' };
    const handshakes = { name: 'edge_handshakes_total', help: 'TLS handshakes, by how they ended', ...byResult };
    this.#handshakes = countPlainly(handshakes, handshakeResults);
    const refused = counter('edge_connections_refused_total', 'Connections over a limit', ['limit']);
    this.#refused = childrenOf(refusals, (limit) => refused.labels({ limit }));
    const ended = counter('edge_http2_sessions_ended_total', 'HTTP/2 sessions that the edge ended', ['reason']);
    this.#sessionsEnded = childrenOf(sessionEndings, (reason) => ended.labels({ reason }));
    const sends = counter('edge_replies_ended_total', 'Replies that the edge ended while the client took them', [
      'reason',
    ]);
    this.#sendsEnded = childrenOf(sendEndings, (reason) => sends.labels({ reason }));
    const lookUps = { name: 'edge_certificate_lookups_total', help: 'Certificates needed by handshakes', ...byResult };
    this.#lookUps = countPlainly(lookUps, ['hit', 'miss']);
    this.#requests = countRequests(registry);
    const [help, buckets] = ['From the head of a request to the end of its answer', DURATION_BUCKETS_SECONDS];
    this.#durations = new Histogram({ name: 'edge_request_duration_seconds', help, buckets, registers });
    this.#protocolErrors = counter('edge_protocol_errors_total', 'Connections ended for what is no HTTP', []);
  }

  handshake(result: HandshakeResult): void {
    this.#handshakes[result] += 1;
  }

  connectionRefused(limit: Refusal): void {
    this.#refused[limit].inc();
  }

  sessionEnded(reason: SessionEnding): void {
    this.#sessionsEnded[reason].inc();
  }

  sendEnded(reason: SendEnding): void {
    this.#sendsEnded[reason].inc();
  }

  certificateLookUp(result: 'hit' | 'miss'): void {
    this.#lookUps[result] += 1;
  }

  /** @param status 0 where there was no answer */
  request(status: number, protocol: Protocol, durationMs: number): void {
    const statusClass = statusClasses[Math.floor(status / 100) - 1] ?? UNANSWERED;
    this.#requests[protocol][statusClass] += 1;
    this.#durations.observe(durationMs / 1_000);
  }

  protocolError(): void {
    this.#protocolErrors.inc();
  }

  /** A value that is looked at when somebody asks; undefined where there is none at the moment. */
  gauge(name: string, help: string, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        const value = read();
        if (value === undefined) this.reset();
        else this.set(value);
      },
    });
  }
}

/** Plain numbers, since they are added to at each handshake; looked at when somebody asks. */
function countPlainly<Value extends string>(
  { registry, label, ...described }: { registry: Registry; name: string; help: string; label: string },
  values: readonly Value[],
): Record<Value, number> {
  const counts = childrenOf(values, () => 0);
  new Counter({
    ...described,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const value of values) this.inc({ [label]: value }, counts[value]);
    },
  });
  return counts;
}

/** The same, by two labels. */
function countRequests(registry: Registry) {
  const counts = childrenOf(protocols, () => childrenOf<StatusClass, number>(statusClasses, () => 0));
  new Counter({
    name: 'edge_requests_total',
    help: 'Requests that were answered or broken off',
    labelNames: ['status', 'protocol'],
    registers: [registry],
    collect() {
      this.reset();
      for (const protocol of protocols)
        for (const status of statusClasses) this.inc({ status, protocol }, counts[protocol][status]);
    },
  });
  return counts;
}

function childrenOf<Name extends string, Child>(
  names: readonly Name[],
  make: (name: Name) => Child,
): Record<Name, Child> {
  // Keys are exactly the names, which `fromEntries` cannot know.
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Child>;
}
