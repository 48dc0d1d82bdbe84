/** Traces as they leave the process: real requests, real queues, and the exporter that sends to a receiver. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobLanes, type Domain } from '@pets/contracts';
import { openMessaging, openQueueTelemetry, type DomainJobHandlers, type Messaging } from '@pets/messaging';
import { createLogger, startTracing, type Tracing } from '@pets/platform';
import { startOtlpReceiver, waitUntil, type OtlpReceiver, type ReceivedSpan, testAuthentication } from '@pets/testing';
import { WorkRepository } from '../../src/schedule/work.repository.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { retryingMessaging } from './retrying-messaging.js';
import { attemptOf, matchingFindings } from '../scripted-worker.js';

type Line = Readonly<Record<string, unknown>>;

const service = { name: 'pets-api', folder: `${import.meta.dirname}/../..` };
const lines: Line[] = [];
const log = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
let receiver: OtlpReceiver;
let tracing: Tracing | null;
let fixture: DomainFixture;
/** The worker’s side of the queues, traced as the worker’s own. */
let messaging: Messaging;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: { 'x-token': 'for the tests' },
  };
  tracing = await startTracing(settings, service, log);
  fixture = await startDomainFixture(log, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const telemetry = await openQueueTelemetry();
  messaging = retryingMessaging(
    openMessaging({ databaseUrl: fixture.api.databaseUrl, telemetry, authentication: testAuthentication, log }),
  );
});
afterAll(async () => {
  await messaging.close();
  await fixture.close();
  await tracing?.stop();
  await receiver.close();
});

let count = 0;
/** A trace that a client has begun. */
function freshTrace(flags = '01'): { readonly traceId: string; readonly headers: { readonly traceparent: string } } {
  const traceId = String(++count).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-${flags}` } };
}

const inTrace = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);

function untilSpan(traceId: string, isWanted: (span: ReceivedSpan) => boolean, message: string): Promise<ReceivedSpan> {
  return waitUntil(() => inTrace(traceId).find(isWanted), { timeoutMs: 20_000, message });
}

describe('a request', () => {
  it('is a span of the client’s trace, named by its route and with nothing of its URL', async () => {
    const { traceId, headers } = freshTrace();
    const path = `/v1/projects/${fixture.projectId}`;
    const answer = await fixture.api.request('GET', path, { key: fixture.key, headers });
    const span = await untilSpan(traceId, ({ kind }) => kind === 'server', 'the request');
    expect(span).toMatchObject({
      name: 'GET /v1/projects/:projectId',
      parentSpanId: 'b'.repeat(16),
      hasFailed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/projects/:projectId',
        'http.response.status_code': 200,
        'url.scheme': 'https',
        'server.address': 'api.example',
        'server.port': 443,
      },
    });
    expect(JSON.stringify(span)).not.toContain(fixture.projectId);
    expect(answer.headers.get('traceparent')).toBe(`00-${traceId}-${span.spanId}-01`);
  });

  it('begins a trace where there is none, which its log line names', async () => {
    const headers = { 'x-request-id': 'begins-a-trace' };
    const answer = await fixture.api.request('GET', '/v1/nowhere', { key: fixture.key, headers });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('traceparent')).toBeNull();
    const named = (span: ReceivedSpan) => span.attributes['pets.request_id'] === 'begins-a-trace';
    const span = await waitUntil(() => receiver.spans.find(named), { timeoutMs: 20_000, message: 'the request' });
    expect(span).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 }, hasFailed: false });
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'request', requestId: 'begins-a-trace', traceId: span.traceId }),
    );
  });

  it('is not recorded when the client does not record its trace', async () => {
    const [unsampled, sampled] = [freshTrace('00'), freshTrace()];
    for (const { headers } of [unsampled, sampled])
      await fixture.api.request('GET', '/v1/pets', { key: fixture.key, headers });
    await untilSpan(sampled.traceId, () => true, 'the sampled span');
    expect(inTrace(unsampled.traceId)).toEqual([]);
  });

  it('is not recorded for probes and heartbeats of edges', async () => {
    await fixture.api.request('GET', '/livez');
    await fixture.api.request('DELETE', '/internal/edge/edges/no-such-edge', {
      headers: { authorization: 'Bearer x' },
    });
    const { traceId, headers } = freshTrace();
    await fixture.api.request('GET', '/v1/pets', { key: fixture.key, headers });
    await untilSpan(traceId, () => true, 'a later one');
    expect(receiver.spans.filter(({ name }) => /livez|internal/.test(name))).toEqual([]);
  });
});

describe('a trace', () => {
  it('goes on through the due row, the job and the fact to the next row and its job', async () => {
    const { traceId, headers } = freshTrace();
    await fixture.worker.close();
    const body = { name: fixture.freshName() };
    const { id } = (await fixture.api.request<Domain>('POST', fixture.path(), { key: fixture.key, headers, body }))
      .body;
    const ignore = () => Promise.resolve();
    const issued = Promise.withResolvers<void>();
    const handlers: DomainJobHandlers = {
      'verify-dns': async (job) => {
        const fact = { ...attemptOf(job), findings: matchingFindings(job.expected) };
        await messaging.events.emit('dns.checked', fact);
      },
      'issue-certificate': async () => issued.resolve(),
      'reverify-domain': ignore,
      'probe-edge': ignore,
      'fetch-renewal-info': ignore,
      'revoke-certificate': ignore,
      'check-revocation-list': ignore,
    };
    for (const lane of jobLanes) messaging.processJobs(handlers, { lane, concurrency: 2 });
    await issued.promise;
    const isIssuance = ({ kind, attributes }: ReceivedSpan) =>
      kind === 'consumer' && attributes['bullmq.job.name'] === 'issue-certificate';
    await untilSpan(traceId, isIssuance, 'the job that orders the certificate');

    expect(chainTo(inTrace(traceId).find(isIssuance))).toEqual([
      'server POST /v1/projects/:projectId/domains',
      'producer publish domain-checks-requested verify-dns',
      'consumer process domain-checks-requested verify-dns',
      'producer publish domain-events dns.checked',
      'consumer process domain-events dns.checked',
      'producer publish domain-certificates issue-certificate',
      'consumer process domain-certificates issue-certificate',
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'domain changed', domainId: id, trigger: 'dns.checked', traceId }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'event', domainId: id, event: 'dns.checked', traceId }),
    );
  });

  it('goes on with what is due within the hour, and not with what is due later', async () => {
    const { api } = fixture;
    const work = new WorkRepository(api.db);
    const { id: domainId } = await fixture.add(fixture.freshName());
    const { traceparent: traceParent } = freshTrace().headers;
    const inMinutes = (minutes: number) => ({ dueAt: new Date(Date.now() + minutes * 60_000), failuresInARow: 0 });
    const traces = async () => {
      const rows = await api.db
        .selectFrom('domain_work')
        .select(['kind', 'traceparent'])
        .where('domain_id', '=', domainId)
        .where('kind', '<>', 'dns')
        .execute();
      return Object.fromEntries(rows.map(({ kind, traceparent }) => [kind, traceparent]));
    };
    const set = { probe: inMinutes(10), issuance: inMinutes(20), reverify: inMinutes(90) };
    await api.db.transaction().execute((tx) => work.scheduleAll(tx, [{ domainId, work: set, traceParent }]));
    expect(await traces()).toEqual({ probe: traceParent, issuance: traceParent, reverify: null });

    // A try is over, and the next one is set: soon for the one, much later for the other.
    const attempt = { domainId, generation: 1, attempt: 1 };
    const tries = [
      { kind: 'probe', attempt, next: inMinutes(15) },
      { kind: 'issuance', attempt, next: inMinutes(120) },
    ] as const;
    await api.db.transaction().execute((tx) => work.finishAll(tx, tries));
    expect(await traces()).toEqual({ probe: traceParent, issuance: null, reverify: null });
  });

  it('says of a job that failed that it did', async () => {
    const before = receiver.spans.length;
    // An event that is not what its schema says.
    await messaging.events.emit('dns.checked', {} as never);
    const isFailed = ({ kind, hasFailed }: ReceivedSpan) => kind === 'consumer' && hasFailed;
    await waitUntil(() => receiver.spans.slice(before).some(isFailed), { timeoutMs: 20_000, message: 'the failure' });
  });

  it('has no spans of workers that wait for jobs', () => {
    const names = new Set(receiver.spans.map(({ kind, name }) => `${kind} ${name}`));
    const inQueues = [...names].filter((name) => !name.startsWith('server '));
    expect(inQueues).toEqual(
      expect.arrayContaining(['consumer process domain-events', 'producer publish domain-checks-requested']),
    );
    expect(inQueues.filter((name) => !/^(?:consumer process|producer publish) domain-[a-z-]+$/.test(name))).toEqual([]);
  });
});

describe('an export of traces', () => {
  it('names its process, with the headers of the settings', () => {
    expect(receiver.spans[0]?.resource).toMatchObject({
      'service.name': 'pets-api',
      'service.version': '1.0.0',
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(receiver.headers[0]).toMatchObject({ 'x-token': 'for the tests' });
  });

  it('is logged when the receiver rejects it, and delays no request', async () => {
    receiver.answerWith(400);
    await fixture.api.request('GET', '/v1/pets', { key: fixture.key });
    const isLogged = () => lines.some(({ msg, level }) => msg === 'OpenTelemetry error' && level === 40);
    await waitUntil(isLogged, { timeoutMs: 20_000, message: 'the line' });
    receiver.answerWith(200);
  });
});

/** From the root to a span. */
function chainTo(span: ReceivedSpan | undefined): string[] {
  if (span === undefined) return [];
  const { kind, name, attributes, parentSpanId } = span;
  const job = attributes['bullmq.job.name'];
  const described = `${kind} ${name}${job === undefined ? '' : ` ${String(job)}`}`;
  return [...chainTo(receiver.spans.find(({ spanId }) => spanId === parentSpanId)), described];
}
