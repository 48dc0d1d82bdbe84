import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen, waitUntil } from '@pets/testing';
import { addDomain, ALIAS, at, getDomain, goLive, SITE } from './story.js';
import { missingServices, startEmbedded, startOnServices, type World } from './worlds.js';

jest.setTimeout(180_000);

tellLifecycle('the lifecycle on the embedded stack', null, startEmbedded);
tellLifecycle('the lifecycle on Redis, Pebble and a DNS server that is not ours', missingServices(), startOnServices);

function tellLifecycle(name: string, reason: string | null, start: () => Promise<World>): void {
  describeWhen(describe, name, reason, () => {
    let world: World;
    beforeAll(async () => {
      world = await start();
    });
    afterAll(() => world?.close());

    it('refuses the handshake before there is a certificate, and says why the domain is not live', async () => {
      await addDomain(world, SITE);
      await waitUntil(async () => (await getDomain(world, SITE)).issues.length > 0, { message: 'the diagnosis' });
      expect((await getDomain(world, SITE)).issues[0]?.code).toBe('no_record');
      await expect(world.visitor.visit(SITE)).rejects.toThrow();
    });

    it('goes from the record to live, and serves the page over TLS with a chain to the CA’s root', async () => {
      const target = (await getDomain(world, SITE)).records[0]?.value ?? '';
      const domain = await goLive(world, SITE, target);
      expect(domain.certificate?.issuer).toMatch(world.issuer);
      const visit = await world.visitor.visit(SITE);
      expect([visit.status, visit.issuer]).toEqual([200, expect.stringMatching(world.issuer)]);
      expect(visit.body).toContain('<h1');
    });

    it('sends plain HTTP to HTTPS', async () => {
      const { status, location } = await world.visitor.visit(SITE, { path: '/a?b=c', isPlain: true });
      expect([status, location]).toEqual([308, expect.stringMatching(/^https:\/\/docs\.example\.com(:\d+)?\/a\?b=c$/)]);
    });

    it('redirects a second domain with path and query kept', async () => {
      await goLive(world, ALIAS, await addDomain(world, ALIAS));
      const { projectId } = world;
      const redirect = { from: ALIAS, to: SITE, status: 301 } as const;
      const config = { domains: { primary: SITE, redirects: [redirect] } };
      const put = await world.pets.PUT('/v1/projects/{projectId}/domain-config', {
        params: { path: { projectId } },
        body: config,
      });
      expect([put.response.status, put.data]).toEqual([200, config]);
      await waitUntil(async () => (await world.visitor.visit(ALIAS)).status === 301, { message: 'the redirect' });
      const { location } = await world.visitor.visit(ALIAS, { path: '/guide?page=2', method: 'HEAD' });
      expect(location).toMatch(/^https:\/\/docs\.example\.com(:\d+)?\/guide\?page=2$/);
    });

    it('serves nothing of a removed domain from the 204 on', async () => {
      const removed = await world.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(world, SITE));
      expect(removed.response.status).toBe(204);
      await expect(world.visitor.visit(SITE)).rejects.toThrow();
      expect((await world.visitor.visit(SITE, { isPlain: true })).status).toBe(404);
      expect(await getDomain(world, SITE)).toMatchObject({ state: 'removed', pendingEdges: 0 });
    });

    it('takes the removed name again at once', async () => {
      await goLive(world, SITE, await addDomain(world, SITE));
      expect((await world.visitor.visit(SITE)).status).toBe(200);
    });
  });
}
