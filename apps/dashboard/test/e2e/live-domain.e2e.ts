import { describe, expect, it } from '@jest/globals';
import type { Domain, DomainIssue, OwnCertificate } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import type { Page } from 'playwright-core';
import { domainsUrl, signIn, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const NAME = 'served.example.com';

const suspension = {
  scope: 'domain',
  cause: 'operator',
  reason: 'phishing reports',
  since: '2026-11-02T09:30:00.000Z',
  renewsUntil: null,
} as const satisfies Domain['suspensions'][number];

const planEnded: DomainIssue = {
  code: 'plan_ended',
  title: 'plan ended',
  area: 'plan',
  severity: 'error',
  blocking: false,
  resolvesAutomatically: false,
  message: 'The plan no longer includes custom domains.',
  cause: null,
  remediation: 'Upgrade the plan.',
  evidence: {},
};

const own: OwnCertificate = {
  id: '9b2f7a44-6d3c-4e0b-8f5e-2c1d0a9b8e77',
  state: 'active',
  isServed: true,
  prefer: 'own',
  trust: 'public',
  names: [NAME],
  issuer: 'Owner Test CA',
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: '2035-03-04T00:00:00.000Z',
  fingerprint: 'ab'.repeat(32),
  uploadedAt: '2026-11-02T09:30:00.000Z',
  revocation: { result: null, checkedAt: null, detail: null },
};

export function describeLiveDomains(fixture: () => DashboardFixture): void {
  describe('the page of a live domain', () => {
    it('begins with the site unless its DNS changed, and shows the certificate that visitors get', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        const id = await addLiveDomain(fixture());
        const list = domainsUrl(dev);
        const site = page.getByRole('region', { name: `${NAME} is live` });
        const certificate = page.locator('details', {
          has: page.getByRole('heading', { name: 'Certificate', exact: true }),
        });
        const todo = page.getByRole('heading', { name: /^(?:Create|Change|Restore)/ });
        await signIn(page, `${list}/${id}`, dev.apiKey);
        await site.getByRole('link', { name: `Visit ${NAME}` }).waitFor();

        await answerWith(page, { suspensions: [suspension] });
        await page.getByText('This domain is suspended').waitFor();
        await page.getByRole('heading', { name: `${NAME} is suspended` }).waitFor();
        expect(await todo.count()).toBe(0);

        await answerWith(page, { issues: [planEnded] });
        await page.getByText(planEnded.message).waitFor();
        await site.waitFor();
        expect(await todo.count()).toBe(0);

        await answerWith(page, { ownCertificate: own });
        await certificate.locator('summary').getByText('Valid until 4 Mar 2035').click();
        await certificate.getByText('Owner Test CA').waitFor();
        await page.getByRole('link', { name: 'Domains', exact: true }).last().click();
        await page.getByRole('row').filter({ hasText: NAME }).getByText('4 Mar 2035').waitFor();

        await page.goto(`${list}/${id}`);
        await answerWith(page, { name: `*.${NAME}`, unicodeName: `*.${NAME}` });
        await page.getByRole('heading', { name: `*.${NAME} is live` }).waitFor();
        expect(await page.locator('[data-next]').getByRole('link', { name: 'Visit' }).count()).toBe(0);
        await page.unrouteAll({ behavior: 'wait' });
        const { pets } = fixture();
        const path = { projectId: dev.projectId, domain: id };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
      }));
  });
}

/** Changes what the API answers about the domain, as events would that take days, and reads the page again. */
async function answerWith(page: Page, change: Partial<Domain>): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' });
  await page.route(/\/v1\/projects\/[^/]+\/domains(\/[\w-]+)?(\/watch)?(\?|$)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as Domain | readonly Domain[];
    const amend = (domain: Domain) => (domain.name === NAME ? { ...domain, ...change } : domain);
    await route.fulfill({ response, json: 'name' in body ? amend(body) : body.map(amend) });
  });
  await page.reload();
}

async function addLiveDomain({ pets, dev, records }: DashboardFixture): Promise<string> {
  const path = { projectId: dev.projectId };
  const body = { name: NAME, pair: false };
  const { data: added } = await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body });
  await records.put({ name: NAME, type: 'CNAME', data: `${added?.records[0]?.value ?? ''}.` });
  const one = { params: { path: { ...path, domain: NAME } } };
  await pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', one);
  const isLive = async () => (await pets.GET('/v1/projects/{projectId}/domains/{domain}', one)).data?.state === 'live';
  await waitUntil(isLive, { timeoutMs: 60_000, message: 'the domain to go live' });
  return added?.id ?? '';
}
