import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { domainsUrl, signIn, unfold, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const BASE = 'excluded-names.com';
const WILDCARD = `*.${BASE}`;
const NAME = `a.${BASE}`;

export function describeExclusions(fixture: () => DashboardFixture): void {
  describe('a name that a wildcard excludes', () => {
    it('is excluded when it is removed, listed, and served again', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await excludeName(fixture());
        const wildcard = await readDomain(fixture(), WILDCARD);
        await signIn(page, `${domainsUrl(dev)}/${wildcard.id}`, dev.apiKey);
        const lift = page.getByRole('button', { name: `Serve ${NAME} again` });
        await unfold(page, 'Excluded names');
        await page.getByRole('table', { name: 'Excluded names' }).getByText(NAME).waitFor();
        await lift.click();
        await page.getByRole('status').getByText(`${WILDCARD} serves ${NAME} again.`).waitFor();
        await lift.waitFor({ state: 'detached' });
        expect((await readDomain(fixture(), WILDCARD)).exclusions).toEqual([]);
      }));
  });
}

/** Verifies a wildcard, and removes a name that it covers with its exclusion. */
async function excludeName({ pets, dev, records }: DashboardFixture): Promise<void> {
  const at = (domain: string) => ({ params: { path: { projectId: dev.projectId, domain } } });
  const add = (name: string) =>
    pets.POST('/v1/projects/{projectId}/domains', {
      params: { path: { projectId: dev.projectId } },
      body: { name },
    });
  const { data: added } = await add(WILDCARD);
  for (const { type, name, value } of added?.records ?? []) {
    if (type === 'CNAME') await records.put({ name: `${name}.${BASE}`, type, data: `${value}.` });
  }
  await pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(WILDCARD));
  await waitUntil(async () => (await readDomain({ pets, dev }, WILDCARD)).state !== 'awaiting_dns', {
    timeoutMs: 30_000,
    message: 'the wildcard to be verified',
  });
  await add(NAME);
  const { response } = await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', {
    params: { ...at(NAME).params, query: { exclude: true } },
  });
  expect(response.status).toBeLessThan(300);
}

async function readDomain({ pets, dev }: Pick<DashboardFixture, 'pets' | 'dev'>, domain: string) {
  const path = { projectId: dev.projectId, domain };
  const { data } = await pets.GET('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
  if (data === undefined) throw new Error(`there is no ${domain}`);
  return data;
}
