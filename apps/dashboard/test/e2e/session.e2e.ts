import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { freePort, waitUntil } from '@pets/testing';
import type { Page } from 'playwright-core';
import { openPets, type DashboardFixture } from '../dashboard-fixture.js';
import { describedText, withPage, openDomains, signIn } from '../with-page.js';

const MENU_SCRIPT = /\/opened-account-menu-/;

export function describeSession(fixture: () => DashboardFixture): void {
  describe('a session', () => {
    it('is not started with an invalid key', () =>
      withPage(fixture(), async (page) => {
        await page.goto(fixture().dev.dashboardUrl);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByText('Enter an API key.').waitFor();
        await page.getByLabel('API key', { exact: true }).fill('pets_test_nonsense');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        const field = page.getByLabel('API key', { exact: true });
        await page.getByText('The API key is not valid.').waitFor();
        expect(await field.getAttribute('aria-invalid')).toBe('true');
        expect(await describedText(field)).toContain('The API key is not valid.');
        expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      }));

    it('is in a cookie that scripts cannot read, and ends at the API when the user signs out', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        const readable = await page.evaluate(() =>
          JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]),
        );
        expect(readable).toBe('[{},{},""]');
        const secret = await readSecret(page);
        expect(secret).toMatch(/^pets_test_session_/);
        await signOut(page);
        const { response } = await openPets(dev.apiUrl, secret).GET('/v1/projects');
        expect(response.status).toBe(401);
        expect(await page.context().cookies()).toEqual([]);
      }));

    it('is shared by tabs: a link opened in another one asks for no key', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        const opened = page.context().waitForEvent('page');
        await page.getByRole('link', { name: 'Animals' }).click({ modifiers: ['ControlOrMeta'] });
        const tab = await opened;
        await tab.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
        await tab.reload();
        await tab.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
        await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      }));

    it('ends in all tabs with a sign-out, and begins in all with a sign-in', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await openDomains(page, fixture());
        const tab = await page.context().newPage();
        await tab.goto(`${dev.dashboardUrl}/animals`);
        await tab.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
        await signOut(tab);
        await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
        expect(await page.getByText('Your session has ended.').count()).toBe(0);
        await enterKey(tab, dev.apiKey);
        await tab.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
        await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
      }));

    it('stays when the API cannot be reached for a sign-out', () =>
      withPage(
        fixture(),
        async (page) => {
          const { dev } = fixture();
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.getByRole('button', { name: 'Account of' }).click();
          await page.context().setOffline(true);
          await page.getByRole('menuitem', { name: 'Sign out' }).click();
          await page.getByText('You are still signed in').first().waitFor();
          await page.context().setOffline(false);
          await page.reload();
          await page.getByRole('button', { name: 'Account of' }).waitFor();
        },
        { expectedErrors: /net::ERR_INTERNET_DISCONNECTED/ },
      ));

    it('says that a menu or a dialog cannot be loaded without the network, and opens it afterwards', () =>
      withPage(
        fixture(),
        async (page) => {
          const { dev } = fixture();
          // The page loads the menu as soon as it has its data, maybe before it is offline.
          await page.route(MENU_SCRIPT, (route) => route.abort('internetdisconnected'));
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.context().setOffline(true);
          const notLoaded = page.locator('.toast').getByText('This part of the page could not be loaded.');
          await page.getByRole('button', { name: 'Account of' }).click();
          await notLoaded.waitFor();
          await notLoaded.waitFor({ state: 'detached' });
          await page.getByRole('button', { name: 'Create project' }).click();
          await notLoaded.waitFor();
          await page.context().setOffline(false);
          await page.unroute(MENU_SCRIPT);
          await page.getByRole('button', { name: 'Create project' }).click();
          await page.getByRole('dialog', { name: 'Create project' }).waitFor();
          await page.keyboard.press('Escape');
          await page.getByRole('button', { name: 'Account of' }).click();
          await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
        },
        { expectedErrors: /net::ERR_INTERNET_DISCONNECTED/ },
      ));

    it('that was revoked leads to the sign-in page, and back to the same page', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await openDomains(page, fixture());
        const address = page.url();
        await openPets(dev.apiUrl, await readSecret(page)).DELETE('/v1/sessions/current');
        await page.getByText('Your session has ended.').waitFor();
        await enterKey(page, dev.apiKey);
        await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
        expect(page.url()).toBe(address);
      }));

    it('opened under another name of this machine continues at the address of the dashboard', () =>
      withPage(fixture(), async (page) => {
        const { dashboardUrl } = fixture().dev;
        await page.goto(`${dashboardUrl.replace('127.0.0.1', 'localhost')}/animals?page=1`);
        expect(page.url()).toBe(`${dashboardUrl}/animals?page=1`);
      }));

    it('cannot be used by a page at another port, to which the browser sends the cookie', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        const attacker = await serveAttack(dev.apiUrl);
        const countAnimals = async () =>
          (await pets.GET('/v1/pets', { params: { query: { limit: 100 } } })).data?.length;
        try {
          const before = await countAnimals();
          const tab = await page.context().newPage();
          const answers: number[] = [];
          tab.on('response', (response) => {
            if (response.url().startsWith(dev.apiUrl)) answers.push(response.status());
          });
          await tab.goto(attacker.url);
          await tab.getByText('attempts: refused, refused, refused, sent, sent, sent').waitFor();
          await waitUntil(() => answers.filter((status) => status === 403).length >= 2, {
            message: 'the answers to the attacks',
          });
          expect(answers.filter((status) => status < 400 && status !== 204)).toEqual([]);
          expect(await countAnimals()).toBe(before);
          await page.reload();
          await page.getByRole('button', { name: 'Account of' }).waitFor();
        } finally {
          await attacker.close();
        }
      }));

    it('without a network shows a warning, and refreshes when it is back', () =>
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
      ));
  });
}

async function enterKey(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
}

/** The key of the session, which only the browser knows. */
async function readSecret(page: Page): Promise<string> {
  const [cookie] = await page.context().cookies();
  return cookie?.value ?? '';
}

/**
 * A page of the same site as the API, as the sites of customers below the platform domain may be: a port makes another origin,
 * not another site. It tries what a page can: readable requests, and those whose answer it cannot read.
 */
async function serveAttack(apiUrl: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const body = JSON.stringify({ name: 'Stolen', categoryId: 1 });
  const page = `<!doctype html><title>A shop</title><p></p><script type="module">
    const post = { method: 'POST', credentials: 'include', body: ${JSON.stringify(body)} };
    const json = { 'content-type': 'application/json' };
    const attempts = [
      ['/v1/pets', { ...post, headers: json }],
      ['/v1/pets', { ...post, headers: { ...json, 'x-csrf': '1' } }],
      ['/v1/pets', { credentials: 'include' }],
      ['/v1/pets', { ...post, mode: 'no-cors' }],
      ['/v1/pets', { ...post, mode: 'no-cors', headers: json }],
      ['/dashboard/session', { ...post, mode: 'no-cors' }],
    ];
    const results = [];
    for (const [path, init] of attempts)
      results.push(await fetch('${apiUrl}' + path, init).then(() => 'sent', () => 'refused'));
    document.querySelector('p').textContent = 'attempts: ' + results.join(', ');
  </script>`;
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
