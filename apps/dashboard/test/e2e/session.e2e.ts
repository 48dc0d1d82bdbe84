import { describe, expect, it } from '@jest/globals';
import { openPets, type DashboardFixture } from '../dashboard-fixture.js';
import { withPage, openDomains, signIn } from '../with-page.js';

export function describeSession(fixture: () => DashboardFixture): void {
  describe('a session', () => {
    it('is not started with an invalid key', () =>
      withPage(fixture(), async (page) => {
        await page.goto(fixture().dev.dashboardUrl);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Enter an API key.').waitFor();
        await page.getByLabel('API key', { exact: true }).fill('pets_test_nonsense');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
      }));

    it('stores no API key, and ends at the API when the user signs out', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
        expect(kept).not.toContain(dev.apiKey);
        const secret = await readSecret(page);
        await page.getByRole('button', { name: 'Account of' }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
        const { response } = await openPets(dev.apiUrl, secret).GET('/v1/projects');
        expect(response.status).toBe(401);
        expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      }));

    it('that was revoked leads to the sign-in page, and back to the same page', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await openDomains(page, fixture());
        const address = page.url();
        await openPets(dev.apiUrl, await readSecret(page)).DELETE('/v1/sessions/current');
        await page.getByText('Your session has ended.').waitFor();
        await page.getByLabel('API key', { exact: true }).fill(dev.apiKey);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
        expect(page.url()).toBe(address);
      }));

    it(
      'without a network shows a warning, and refreshes when it is back',
      () =>
        withPage(
          fixture(),
          async (page) => {
            const { dev, pets } = fixture();
            await openDomains(page, fixture());
            await page.context().setOffline(true);
            await page.getByText('You are offline.').waitFor();
            const name = 'meanwhile.example.com';
            const path = { projectId: dev.projectId };
            await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
            await page.context().setOffline(false);
            await page.getByText('You are offline.').waitFor({ state: 'detached' });
            await page.getByRole('link', { name }).waitFor({ timeout: 60_000 });
            await page.getByText('Live updates are disconnected.').waitFor({ state: 'detached' });
            const params = { path: { ...path, domain: name } };
            await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params });
          },
          { expectedErrors: /net::ERR_INTERNET_DISCONNECTED/ },
        ),
      90_000,
    );
  });
}

/** The session key that the tab stores. */
async function readSecret(page: { evaluate<T>(read: () => T): Promise<T> }): Promise<string> {
  const stored = await page.evaluate(() => sessionStorage.getItem('pets.session'));
  return (JSON.parse(stored ?? '{}') as { secret?: string }).secret ?? '';
}
