/**
 * One trace covers everything that a client's request causes, in every service up to the edges. A process without a collector
 * does not load OpenTelemetry.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen, startOtlpReceiver, waitUntil, type OtlpReceiver } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { missingForReplicas, startReplicas, type ReplicasFixture } from './replicas/replicas-fixture.js';
import { getDomain, SITE } from './domain-steps.js';

jest.setTimeout(120_000);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT = '00f067aa0ba902b7';
/** Steps by service. */
const STEPS = [
  'pets-api POST /v1/projects/:projectId/domains',
  'pets-api publish domain-checks-requested verify-dns',
  'domains-worker process domain-checks-requested verify-dns',
  'domains-worker publish domain-events-awaited dns.checked',
  'pets-api process domain-events-awaited dns.checked',
  'pets-api publish domain-certificates issue-certificate',
  'domains-worker process domain-certificates issue-certificate',
  'domains-worker publish domain-events certificate.issued',
  'pets-api process domain-events certificate.issued',
  'edge edge.apply',
  'pets-api publish domain-probes probe-edge',
  'domains-worker process domain-probes probe-edge',
  'pets-api process domain-events certificate.served',
];

const LIVE = { timeoutMs: 60_000, message: `${SITE} to go live` };

describeWhen(describe, 'one trace', missingForReplicas(), () => {
  let receiver: OtlpReceiver;
  let fixture: ReplicasFixture;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    fixture = await startReplicas({ apis: 1, workers: 1, edges: 1, environment });
  });
  afterAll(async () => {
    await fixture?.close();
    await receiver?.close();
  });

  const inTrace = () => receiver.spans.filter(({ traceId }) => traceId === TRACE);

  it('holds the request, the jobs, the facts and the edge, of a domain that goes from added to live', async () => {
    // The record has to be there first, so that nothing but the request brings the domain on.
    const target = await firstTarget();
    fixture.dns.put({ type: 'CNAME', name: SITE, data: `${target}.` });
    await add(`00-${TRACE}-${CLIENT}-01`);
    await waitUntil(async () => (await getDomain(fixture, SITE)).state === 'live', LIVE);
    const missing = () => STEPS.filter((step) => !steps().includes(step));
    await waitUntil(() => missing().length === 0, { timeoutMs: 30_000 }).catch(() => undefined);
    expect(missing()).toEqual([]);
  });

  it('is complete: each step but the client’s own has a parent', async () => {
    // Each service exports on its own, so that a step may arrive before its parent.
    const orphans = () => {
      const known = new Set([CLIENT, ...inTrace().map(({ spanId }) => spanId)]);
      return inTrace().filter(({ parentSpanId = '' }) => !known.has(parentSpanId));
    };
    await waitUntil(() => orphans().length === 0, { timeoutMs: 30_000 }).catch(() => undefined);
    expect(orphans()).toEqual([]);
    const applied = inTrace().filter(({ name }) => name === 'edge.apply');
    expect(applied.map(({ attributes }) => attributes['pets.feed.hosts'])).toContainEqual([SITE]);
    expect(applied.filter(({ hasFailed }) => hasFailed)).toEqual([]);
  });

  it('does not hold up a process that stops while nobody takes it', async () => {
    await receiver.close();
    const edges = fixture.edges.map(({ process }) => process);
    for (const each of [...edges, ...fixture.apis, ...fixture.workers]) expect((await each.stop()).code).toBe(0);
  });

  const steps = () =>
    inTrace().map(({ service, name, attributes }) =>
      [service, name, attributes['bullmq.job.name']].filter((part) => part !== undefined).join(' '),
    );

  /** Adds the domain and takes it away again: what its record has to point to stays. */
  async function firstTarget(): Promise<string> {
    const { records } = await add();
    const path = { projectId: fixture.projectId, domain: SITE };
    await fixture.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
    return records[0]?.value ?? '';
  }

  async function add(traceparent?: string) {
    const path = { projectId: fixture.projectId };
    const header = traceparent === undefined ? {} : { traceparent };
    const asked = { params: { path, header }, body: { name: SITE } };
    const { data, error } = await fixture.pets.POST('/v1/projects/{projectId}/domains', asked);
    if (data === undefined) throw new Error(error.message);
    return data;
  }
});

describe('without an endpoint', () => {
  it('no process loads anything of OpenTelemetry but its interface', async () => {
    const [without, having] = [
      await loadedBy({}),
      await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }),
    ];
    expect(without).toEqual([]);
    expect(having).toEqual(expect.arrayContaining(['@opentelemetry/sdk-trace', 'bullmq-otel']));
  });
});

/** Loads what the services are made of, as they are built, and starts tracing. @returns the packages for it that came */
async function loadedBy(settings: Readonly<Record<string, string>>): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
    const { startTracing } = await import('@pets/platform');
    const { openQueueTelemetry } = await import('@pets/messaging');
    const service = { name: 'test', folder: process.cwd() };
    const tracing = await startTracing(${JSON.stringify(settings)}, service, console);
    if (tracing !== null) await openQueueTelemetry();
    const found = [...loaded].flatMap((url) => /node_modules\\/((?:@opentelemetry\\/)[^/]+|bullmq-otel)\\//.exec(url)?.[1] ?? []);
    process.stdout.write(JSON.stringify([...new Set(found)]));
    await tracing?.stop();`;
  const cwd = join(repositoryRoot, 'apps/pets-api');
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: {}, timeout: 60_000 });
  const packages = JSON.parse(stdout) as string[]; // what the script prints
  // The API package comes with the library of metrics, and does nothing without an SDK.
  return packages.filter((name) => name !== '@opentelemetry/api');
}
