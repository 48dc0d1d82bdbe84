import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type pg from 'pg';
import { at, deployProject } from '../domain-steps.js';
import { startWebhookReceiver, type WebhookReceiver } from '../webhook-receiver.js';
import { Application, GREETING, StreamingVisitor } from './application.js';
import type { ReplicasFixture } from './replicas-fixture.js';
import { goLiveOn, readOn, visitOn } from './steps.js';

const SLUG = 'forwarded-docs';
const SITE = 'docs.forwarded-docs.com';
const PLATFORM_SITE = `${SLUG}.pets.localhost`;

const FORWARDED_LIMIT_MS = 30_000;
/** A state is confirmed for 30 s, after the edges have noticed: each opens a connection at most every 30 s. */
const HEALTH_LIMIT_MS = 90_000;
const HEALTH_TEST_LIMIT_MS = 240_000;
/** How long visitors go on after the removal. */
const REFUSED_MS = 1_000;

interface Message {
  readonly type: string;
  readonly sequence: number;
}

/** An application behind a project, with two edges before it that are processes of their own, and two APIs that count their votes. */
export function describeForwarding(current: () => { readonly stack: ReplicasFixture; readonly database: pg.Client }) {
  describe('an application behind two edges', () => {
    const application = new Application();
    let fixture: ReplicasFixture;
    let database: pg.Client;
    let receiver: WebhookReceiver | undefined;

    beforeAll(async () => {
      ({ stack: fixture, database } = current());
      await application.start();
      fixture = { ...fixture, projectId: await deployProject(fixture, SLUG) };
    });
    afterAll(async () => {
      await application.stop();
      await receiver?.close();
    });

    const ofProject = () => ({ params: { path: { projectId: fixture.projectId } } });
    const atEachEdge = <T>(ask: (port: number) => Promise<T>) =>
      Promise.all(fixture.edges.map(({ httpsPort }) => ask(httpsPort)));
    const isForwarded = (host: string) => async () =>
      (await atEachEdge((port) => readOn(fixture, host, port))).every(({ body }) => body === GREETING);
    const forwarded = (host: string) =>
      waitUntil(isForwarded(host), { timeoutMs: FORWARDED_LIMIT_MS, message: `both edges to forward ${host}` });

    it('gets nothing after the 204 of a removal, nor do visitors of either edge', async () => {
      await goLiveOn(fixture, SITE);
      await fixture.pets.PUT('/v1/projects/{projectId}/origin', { ...ofProject(), body: { url: application.url } });
      await forwarded(SITE);
      const visitors = fixture.edges.map(({ httpsPort }) => new StreamingVisitor(fixture, SITE, httpsPort));
      try {
        const isBusy = () => visitors.every(({ bytes }) => bytes > 0) && application.streams === visitors.length;
        await waitUntil(isBusy, { timeoutMs: FORWARDED_LIMIT_MS, message: 'a stream through each edge' });
        const count = () => [application.receivedBytes, ...visitors.map(({ bytes }) => bytes)];
        const { response } = await fixture.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(fixture, SITE));
        expect(response.status).toBe(204);
        // Bytes that arrived before the response are read in this tick or the next.
        await nextTick();
        await nextTick();
        const before = count();
        // Neither what was open goes on, nor does anything begin.
        await Promise.all([
          sleep(REFUSED_MS),
          atEachEdge((port) => expect(readOn(fixture, SITE, port)).rejects.toThrow()),
        ]);
        expect(count()).toEqual(before);
      } finally {
        for (const visitor of visitors) visitor.leave();
      }
      // The project itself is still forwarded.
      await forwarded(PLATFORM_SITE);
    });

    it(
      'is said to be failing once, when both edges say so, and to be restored once',
      async () => {
        receiver = await startWebhookReceiver(() => 204);
        const { requests, url } = receiver;
        const { data: endpoint } = await fixture.pets.POST('/v1/webhook-endpoints', {
          body: { url, eventTypes: ['origin.failing', 'origin.restored'] },
        });
        const health = async () =>
          (await fixture.pets.GET('/v1/projects/{projectId}/origin', ofProject())).data?.health;
        const isState = (state: string) => async () => (await health())?.state === state;
        const came = (count: number) =>
          waitUntil(() => requests.length >= count, { timeoutMs: 30_000, message: `${count} webhooks` });
        await forwarded(PLATFORM_SITE);

        await application.stop();
        const reports = `
          select count(*)::int from origin_votes v join origins o on o.id = v.origin_id
          where v.failure is not null and o.project_id = $1`;
        const haveReported = async () => {
          expect(await atEachEdge((port) => visitOn(fixture, PLATFORM_SITE, port))).toEqual([502, 502]);
          const { rows } = await database.query<{ count: number }>(reports, [fixture.projectId]);
          return rows[0]?.count === fixture.edges.length;
        };
        await waitUntil(haveReported, { timeoutMs: HEALTH_LIMIT_MS, message: 'both edges to report' });
        expect((await health())?.state).toBe('reachable');
        await waitUntil(isState('failing'), { timeoutMs: HEALTH_LIMIT_MS, message: 'the application to be failing' });
        expect((await health())?.failure?.code).toBe('connection');
        await came(1);

        await application.start();
        await waitUntil(isState('reachable'), { timeoutMs: HEALTH_LIMIT_MS, message: 'it to be restored' });
        await came(2);
        await forwarded(PLATFORM_SITE);

        const messages = requests.map(({ body }) => JSON.parse(body) as Message);
        expect(messages.map(({ type }) => type)).toEqual(['origin.failing', 'origin.restored']);
        expect(messages[1]?.sequence).toBeGreaterThan(messages[0]?.sequence ?? Infinity);
        const { data: audited } = await fixture.pets.GET('/v1/audit-events', { params: { query: { limit: 100 } } });
        const ofHealth = audited?.filter(({ type }) => type === 'origin.failing' || type === 'origin.restored');
        expect(ofHealth?.map(({ type }) => type)).toEqual(['origin.restored', 'origin.failing']);
        const { data: deliveries } = await fixture.pets.GET('/v1/webhook-endpoints/{endpointId}/deliveries', {
          params: { path: { endpointId: endpoint?.id ?? '' } },
        });
        expect(deliveries?.map(({ attempts }) => attempts.length)).toEqual([1, 1]);
      },
      HEALTH_TEST_LIMIT_MS,
    );
  });
}
