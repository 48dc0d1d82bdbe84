import { describe, expect, it } from '@jest/globals';
import { openDomains, signIn, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const names = ['alpha', 'beta', 'gamma'].map((label) => `${label}.listed.example`);

export function describeLists(fixture: () => DashboardFixture): void {
  describe('the list of domains', () => {
    it('is searched and sorted, and selected domains are checked and removed together, with the keyboard', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const path = { projectId: dev.projectId };
        const body = { domains: names.map((name) => ({ name })) };
        await pets.POST('/v1/projects/{projectId}/domains:batch', { params: { path }, body });
        await openDomains(page, fixture());
        await page.getByText(/^\d+ of 1,000$/).waitFor();

        const rows = page.getByRole('row').filter({ hasText: '.listed.example' });
        await rows.filter({ hasText: 'alpha' }).waitFor();
        await page.getByRole('searchbox', { name: 'Search by name' }).fill('gamma.lis');
        await rows.filter({ hasText: 'alpha' }).waitFor({ state: 'detached' });
        expect(await rows.count()).toBe(1);
        await page.getByRole('searchbox', { name: 'Search by name' }).fill('ta.listed');
        await rows.filter({ hasText: 'beta' }).waitFor();
        await rows.filter({ hasText: 'gamma' }).waitFor({ state: 'detached' });
        expect(await rows.count()).toBe(1);
        await page.getByRole('searchbox', { name: 'Search by name' }).fill('');
        await page.getByLabel('Sort', { exact: true }).selectOption('Name, Z to A');
        await rows.nth(2).waitFor();
        const listed = await rows.getByRole('link').allInnerTexts();
        expect(listed).toEqual(names.toReversed());
        const box = await rows.first().boundingBox();
        expect(box?.height).toBeGreaterThanOrEqual(44);
        expect(box?.height).toBeLessThan(52);

        for (const name of names) {
          await page.getByRole('checkbox', { name: `Select ${name}` }).focus();
          await page.keyboard.press('Space');
        }
        const selection = page.getByRole('group', { name: 'Selected domains' });
        await selection.getByText('3 selected').waitFor();
        await selection.getByRole('button', { name: 'Verify DNS' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText('DNS check of 3 domains started.').waitFor();
        await selection.getByRole('button', { name: 'Remove' }).focus();
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText('3 domains removed.').waitFor();
        await rows.first().waitFor({ state: 'detached' });
      }));

    it('is searched for names with special characters, by whole labels', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const path = { projectId: dev.projectId };
        const name = 'bücher.listed.example';
        await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
        await openDomains(page, fixture());
        const search = page.getByRole('searchbox', { name: 'Search by name' });
        const link = page.getByRole('link', { name });
        for (const term of ['Bücher', 'bücher.lis']) {
          await search.fill('nothing');
          await page.getByText('No matching domains').waitFor();
          await search.fill(term);
          await link.waitFor();
        }
        for (const term of ['büch', 'bücher/page']) {
          await search.fill(term);
          await page.getByText('Special characters are found by whole labels.').waitFor();
          await search.fill('');
          await link.waitFor();
        }
        const params = { path: { ...path, domain: 'xn--bcher-kva.listed.example' } };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params });
      }));

    it('names the way back from a domain or a project that does not exist', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await page.goto(`${page.url()}/nowhere.example.com`);
        await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
        await page.getByRole('link', { name: 'Go to the domains of the project' }).click();
        await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
        await page.goto(`${fixture().dev.dashboardUrl}/projects/no-project`);
        await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
        await page.getByRole('link', { name: 'Go to projects' }).click();
        await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      }));
  });

  describe('a list', () => {
    it('of projects is searched, and counted against the limit', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        await pets.POST('/v1/projects', { body: { name: 'Searchable zoo', slug: 'searchable-zoo' } });
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.getByText(/^\d+ of [\d,]+$/).waitFor();
        const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
        await rows.nth(1).waitFor();
        await page.getByRole('searchbox').fill('searchable');
        await rows.nth(1).waitFor({ state: 'detached' });
        await rows.getByRole('link', { name: 'Searchable zoo', exact: true }).waitFor();
        await page.getByRole('searchbox').fill('no such project');
        await page.getByText('No matching projects').waitFor();
      }));

    it('of API keys is sorted by creation', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        for (const name of ['Sorted 1', 'Sorted 2'])
          await pets.POST('/v1/api-keys', { body: { name, scopes: ['pets:read'] } });
        await signIn(page, `${dev.dashboardUrl}/api-keys`, dev.apiKey);
        await page.getByRole('searchbox').fill('Sorted');
        const rows = page.getByRole('row').filter({ hasText: 'pets:read' });
        for (const [order, first] of [
          ['Oldest first', 'Sorted 1'],
          ['Newest first', 'Sorted 2'],
        ] as const) {
          await page.getByLabel('Sort', { exact: true }).selectOption(order);
          await rows.first().getByText(first).waitFor();
          expect(await rows.count()).toBe(2);
        }
      }));

    it('that is empty offers what to create, and a filtered one says what to change', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await page.route(/\/v1\/(?:pets|webhook-endpoints)(?:\?|$)/, (route) => route.fulfill({ json: [] }));
        await signIn(page, `${dev.dashboardUrl}/animals`, dev.apiKey);
        await page.locator('.empty').getByRole('button', { name: 'Add animal' }).click();
        await page.getByRole('dialog', { name: 'Add animal' }).getByRole('textbox', { name: 'Name' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByLabel('Status').selectOption('Sold');
        await page.getByText('Change the search or the status.').waitFor();
        await page.goto(`${dev.dashboardUrl}/webhooks`);
        await page.locator('.empty').getByRole('button', { name: 'Create endpoint' }).waitFor();
      }));

    it('and a page have their shape while they load, with a heading', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        const { promise: held, resolve: release } = Promise.withResolvers<void>();
        await page.route(/\/v1\/projects(?:\?|$)|\/deployments$|\/v1\/.+\/domains\/slow\.example/, async (route) => {
          await held;
          await route.continue();
        });
        const project = `${dev.dashboardUrl}/projects/${dev.projectId}`;
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        for (const url of [dev.dashboardUrl, project]) {
          await page.goto(url);
          await page.getByRole('status', { name: 'Loading…' }).locator('.loading-row').first().waitFor();
        }
        await page.goto(`${project}/settings/domains/slow.example`);
        await page.getByRole('status', { name: 'Loading…' }).waitFor();
        await page.getByRole('heading', { name: 'Domain', level: 1, exact: true }).waitFor();
        release();
        await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
      }));
  });

  describe('the account menu', () => {
    it('names the organization, and keeps the chosen theme', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await page.getByRole('button', { name: 'Account of Acme' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('menuitemradio', { name: 'Dark theme' }).click();
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        await page.reload();
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
      }));
  });
}
