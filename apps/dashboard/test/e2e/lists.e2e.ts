import { describe, expect, it } from '@jest/globals';
import { openDomains, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const names = ['alpha', 'beta', 'gamma'].map((label) => `${label}.listed.example`);

export function describeLists(fixture: () => DashboardFixture): void {
  describe('the list of domains', () => {
    it(
      'is searched and sorted, and selected domains are checked and removed together, with the keyboard',
      () =>
        withPage(fixture(), async (page) => {
          const { dev, pets } = fixture();
          const path = { projectId: dev.projectId };
          const body = { domains: names.map((name) => ({ name })) };
          await pets.POST('/v1/projects/{projectId}/domains:batch', { params: { path }, body });
          await openDomains(page, fixture());
          await page.getByText(/^\d+ of 1,000$/).waitFor();

          const rows = page.getByRole('row').filter({ hasText: '.listed.example' });
          await page.getByRole('searchbox', { name: 'Search by the beginning' }).fill('gamma.lis');
          await rows.filter({ hasText: 'alpha' }).waitFor({ state: 'detached' });
          expect(await rows.count()).toBe(1);
          await page.getByRole('searchbox', { name: 'Search by the beginning' }).fill('');
          await page.getByLabel('Order').selectOption('Name, Z to A');
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
        }),
      60_000,
    );

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
