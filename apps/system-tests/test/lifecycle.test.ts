import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen, waitUntil } from '@pets/testing';
import { addDomain, ALIAS, at, getDomain, goLive, SITE } from './domain-steps.js';
import { missingServices, openShared, startOnServices, type StackFixture } from './stack-fixtures.js';

jest.setTimeout(180_000);

describeLifecycle('the lifecycle on PostgreSQL, with our own CA', null, openShared);
describeLifecycle(
  'the lifecycle on Redis, Pebble and a DNS server that is not ours',
  missingServices(),
  startOnServices,
);

function describeLifecycle(name: string, reason: string | null, start: () => Promise<StackFixture>): void {
  describeWhen(describe, name, reason, () => {
    let fixture: StackFixture;
    beforeAll(async () => {
      fixture = await start();
    });
    afterAll(() => fixture?.close());

    it('refuses the handshake before there is a certificate, and says why the domain is not live', async () => {
      await addDomain(fixture, SITE);
      await waitUntil(async () => (await getDomain(fixture, SITE)).issues.length > 0, { message: 'the diagnosis' });
      expect((await getDomain(fixture, SITE)).issues[0]?.code).toBe('no_record');
      await expect(fixture.visitor.visit(SITE)).rejects.toThrow();
    });

    it('goes from the record to live, and serves the page over TLS with a chain to the CA’s root', async () => {
      const target = (await getDomain(fixture, SITE)).records[0]?.value ?? '';
      const domain = await goLive(fixture, SITE, target);
      expect(domain.certificate?.issuer).toMatch(fixture.issuer);
      const visit = await fixture.visitor.visit(SITE);
      expect([visit.status, visit.issuer]).toEqual([200, expect.stringMatching(fixture.issuer)]);
      expect(visit.body).toContain('<h1');
    });

    it('sends plain HTTP to HTTPS', async () => {
      const { status, location } = await fixture.visitor.visit(SITE, { path: '/a?b=c', isPlain: true });
      expect([status, location]).toEqual([308, expect.stringMatching(/^https:\/\/docs\.example\.com(:\d+)?\/a\?b=c$/)]);
    });

    it('redirects a second domain with path and query kept', async () => {
      await goLive(fixture, ALIAS, await addDomain(fixture, ALIAS));
      const { projectId } = fixture;
      const redirect = { from: ALIAS, to: SITE, status: 301 } as const;
      const config = { domains: { primary: SITE, redirects: [redirect] } };
      const put = await fixture.pets.PUT('/v1/projects/{projectId}/domain-config', {
        params: { path: { projectId } },
        body: config,
      });
      expect([put.response.status, put.data]).toEqual([200, config]);
      await waitUntil(async () => (await fixture.visitor.visit(ALIAS)).status === 301, { message: 'the redirect' });
      const { location } = await fixture.visitor.visit(ALIAS, { path: '/guide?page=2', method: 'HEAD' });
      expect(location).toMatch(/^https:\/\/docs\.example\.com(:\d+)?\/guide\?page=2$/);
    });

    it('serves nothing of a removed domain from the 204 on', async () => {
      const removed = await fixture.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(fixture, SITE));
      expect(removed.response.status).toBe(204);
      await expect(fixture.visitor.visit(SITE)).rejects.toThrow();
      expect((await fixture.visitor.visit(SITE, { isPlain: true })).status).toBe(404);
      expect(await getDomain(fixture, SITE)).toMatchObject({ state: 'removed', pendingEdges: 0 });
    });

    it('gets the certificate of a CA that finishes after the job, of one order', async () => {
      const { caControlUrl } = fixture.stack.dev;
      if (caControlUrl === null) return; // Pebble finishes at once
      const delay = (seconds: number) =>
        fetch(`${caControlUrl}/delays`, { method: 'PUT', body: JSON.stringify({ finalize: seconds }) });
      const name = 'slow.example.com';
      await delay(7);
      try {
        const target = await addDomain(fixture, name);
        await fixture.createRecord(name, target);
        await fixture.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(fixture, name));
        const codes = async () => (await getDomain(fixture, name)).issues.map(({ code }) => code);
        await waitUntil(async () => (await codes()).includes('certificate_pending'), { timeoutMs: 30_000 });
        await waitUntil(async () => (await getDomain(fixture, name)).state === 'live', { timeoutMs: 30_000 });
        expect(await codes()).toEqual([]);
      } finally {
        await delay(0);
      }
      expect(await (await fetch(`${caControlUrl}/orders?name=${name}`)).json()).toEqual([{ isFinalized: true }]);
    });

    it('takes the removed name again at once', async () => {
      await goLive(fixture, SITE, await addDomain(fixture, SITE));
      expect((await fixture.visitor.visit(SITE)).status).toBe(200);
    });
  });
}
