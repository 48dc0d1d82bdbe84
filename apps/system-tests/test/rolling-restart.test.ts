/**
 * Each service is replaced, one process after the other, under load. Nothing is lost: every request on a connection that was
 * not announced to close is answered with 2xx or 3xx, every event arrives once and in order, every webhook arrives, and every
 * process exits with 0 without being killed. `npm run upgrade-check` runs it beside another build, which this one replaces in
 * the order of docs/operations/upgrades.md, and which replaces this one again.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { built, type StackProcess, type Stopped } from '@pets/lab';
import { describeWhen, waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { recordEvents, writtenEvents } from './replicas/recorded-events.js';
import { startLoad, type Client } from './replicas/load.js';
import {
  firstBuild,
  missingForReplicas,
  portOf,
  startAgain,
  startReplicas,
  type ReplicasFixture,
} from './replicas/replicas-fixture.js';
import { createPet, goLiveOn, subscribeToPets } from './replicas/steps.js';
import { SITE } from './domain-steps.js';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.js';

jest.setTimeout(150_000);

const STOP_LIMIT_MS = 10_000;

describeWhen(describe, 'a rolling restart under load', missingForReplicas(), () => {
  let fixture: ReplicasFixture;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    fixture = await startReplicas({ apis: 2, workers: 2, edges: 2 });
    receiver = await startWebhookReceiver(() => 204);
    await subscribeToPets(fixture, receiver.url);
    await goLiveOn(fixture, SITE);
  });
  afterAll(async () => {
    await fixture?.close();
    await receiver?.close();
  });

  it('loses no request, no event and no webhook', async () => {
    const recording = recordEvents(fixture, fixture.apiUrl);
    const load = startLoad([...publishers(fixture), ...visitors(fixture)]);
    await waitUntil(() => load.answered > 200, { timeoutMs: 30_000, message: 'the load' });

    const isUpgrade = firstBuild !== repositoryRoot;
    const stops = isUpgrade ? await upgradeAndReturn(fixture) : await restartAll(fixture);
    await load.stop();

    expect(load.failures).toEqual([]);
    expect(stops.map(({ code }) => code)).toEqual(Array(isUpgrade ? 12 : 6).fill(0));
    expect(Math.max(...stops.map(({ tookMs }) => tookMs))).toBeLessThan(STOP_LIMIT_MS);
    expect(load.goodbyes).toBeGreaterThanOrEqual(publishers(fixture).length);
    const written = await writtenEvents(fixture);
    await recording.until(written.length);
    await recording.stop();
    expect(recording.lines).toEqual(written);
    expect(recording.opened).toBeGreaterThan(1);
    await everyPetIsDelivered();
  });

  /** The newest pet is delivered last, and every other one has a lower id. */
  async function everyPetIsDelivered(): Promise<void> {
    const newest = await createPet(fixture);
    const delivered = () => new Set(receiver.requests.map(({ body }) => (JSON.parse(body) as Delivery).data.id));
    await waitUntil(() => delivered().size >= newest, { timeoutMs: 30_000, intervalMs: 250, message: 'every webhook' });
    expect(receiver.requests).toHaveLength(newest);
  }
});

interface Delivery {
  readonly data: { readonly id: number };
}

/**
 * Lists and creations, clicks, and domains that come and go, all on kept connections. Enough that every moment of a restart meets
 * some, and no more: services that start need the processor too, and without it a database counts as silent after two seconds.
 */
function publishers({ apiKey, balancers, projectId }: ReplicasFixture): Client[] {
  const authorization = `Bearer ${apiKey}`;
  const client = { port: balancers.api.port, keepsAlive: true };
  const [read, write] = [{ authorization }, { authorization, 'content-type': 'application/json' }];
  const domains = `/v1/projects/${projectId}/domains`;
  const pet = { method: 'POST', path: '/v1/pets', headers: write, body: '{"name":"Rex","categoryId":1}' } as const;
  const list = { method: 'GET', path: '/v1/pets?limit=5', headers: read } as const;
  const click = { method: 'POST', path: `${domains}/${SITE}/verify`, headers: read } as const;
  const comeAndGo = (asked: number) => {
    const name = `d${Math.floor(asked / 2)}.example.com`;
    if (asked % 2 === 1) return { method: 'DELETE', path: `${domains}/${name}`, headers: read } as const;
    return { method: 'POST', path: domains, headers: write, body: JSON.stringify({ name }) } as const;
  };
  return [
    { ...client, pauseMs: 20, next: () => list },
    { ...client, pauseMs: 20, next: () => list },
    { ...client, pauseMs: 40, next: () => pet },
    { ...client, pauseMs: 250, next: () => click },
    { ...client, pauseMs: 80, next: comeAndGo },
  ];
}

/** One who stays connected, and one who connects again each time. */
function visitors({ balancers, ca }: ReplicasFixture): Client[] {
  const visit = { method: 'GET', path: '/', headers: { host: SITE } } as const;
  const tls = { servername: SITE, ca: ca.authority.rootCertificatePem };
  const client = { port: balancers.https.port, tls, next: () => visit };
  return [
    { ...client, keepsAlive: true, pauseMs: 20 },
    { ...client, keepsAlive: false, pauseMs: 60 },
  ];
}

/** One of each service at a time. */
async function restartAll(fixture: ReplicasFixture): Promise<Stopped[]> {
  const rolls = [rollApis, rollWorkers, rollEdges].map((roll) => roll(fixture, repositoryRoot));
  return (await Promise.all(rolls)).flat();
}

async function upgradeAndReturn(fixture: ReplicasFixture): Promise<Stopped[]> {
  const rolls = [rollApis, rollWorkers, rollEdges];
  const stops: Stopped[] = [];
  fixture.stack.migrate(repositoryRoot);
  for (const roll of rolls) stops.push(...(await roll(fixture, repositoryRoot)));
  for (const roll of rolls.toReversed()) stops.push(...(await roll(fixture, firstBuild)));
  return stops;
}

async function rollApis({ apis, balancers }: ReplicasFixture, build: string): Promise<Stopped[]> {
  const stops: Stopped[] = [];
  for (const api of apis) {
    balancers.api.takeOut(portOf(api.url));
    stops.push(await restart(api, built('pets-api', 'main.js', build)));
    balancers.api.putIn(portOf(api.url));
  }
  return stops;
}

async function rollWorkers({ workers }: ReplicasFixture, build: string): Promise<Stopped[]> {
  const stops: Stopped[] = [];
  for (const worker of workers) stops.push(await restart(worker, built('domains-worker', 'main.js', build)));
  return stops;
}

async function rollEdges({ edges, balancers: { http, https } }: ReplicasFixture, build: string): Promise<Stopped[]> {
  const stops: Stopped[] = [];
  for (const { process: edge, httpPort, httpsPort } of edges) {
    http.takeOut(httpPort);
    https.takeOut(httpsPort);
    stops.push(await restart(edge, built('edge', 'main.js', build)));
    http.putIn(httpPort);
    https.putIn(httpsPort);
  }
  return stops;
}

async function restart(replica: StackProcess, program: string): Promise<Stopped> {
  const stopped = await replica.stop();
  await startAgain(replica, { args: [program] });
  return stopped;
}
