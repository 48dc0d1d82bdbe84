import { describe, expect, it } from '@jest/globals';
import { openPets } from '../dashboard-fixture.js';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { asVisitor, openDomains, signIn } from '../visitor.js';

/** Signing in and out, and what happens when a session ends by itself. */
export function tellSessionStory(fixture: () => DashboardFixture): void {
  describe('a session', () => {
    it('is not begun with a key that is not valid', () =>
      asVisitor(fixture(), async (page) => {
        await page.goto(fixture().dev.dashboardUrl);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Enter an API key.').waitFor();
        await page.getByLabel('API key', { exact: true }).fill('pets_test_nonsense');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
      }));

    it('keeps no API key, and is over at the API when one signs out', () =>
      asVisitor(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
        expect(kept).not.toContain(dev.apiKey);
        const secret = await readSecret(page);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
        const { response } = await openPets(dev.apiUrl, secret).GET('/v1/projects');
        expect(response.status).toBe(401);
        expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      }));

    it('that was ended elsewhere leads to the sign-in, and from there back', () =>
      asVisitor(fixture(), async (page) => {
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
      'without a network says so, and shows what has happened once it is back',
      () =>
        asVisitor(
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

/** Of the session, as the tab keeps it. */
async function readSecret(page: { evaluate<T>(read: () => T): Promise<T> }): Promise<string> {
  const stored = await page.evaluate(() => sessionStorage.getItem('pets.session'));
  return (JSON.parse(stored ?? '{}') as { secret?: string }).secret ?? '';
}
