import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addDomain, openDomains, readTarget, untilChecked, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** Takes seconds, or longer on a loaded machine. */
const LIVE_TIMEOUT_MS = 60_000;

export function describeStatus(fixture: () => DashboardFixture): void {
  describe('the status of a live domain whose DNS was changed', () => {
    it('is not "Live" alone, in the page and in the list, where it comes first and is counted in the navigation', () =>
      withPage(fixture(), async (page) => {
        const { records, pets, dev } = fixture();
        const name = 'left.example.com';
        await openDomains(page, fixture());
        await addDomain(page, name);
        await records.put({ name, type: 'CNAME', data: `${await readTarget(page)}.` });
        await page.getByRole('button', { name: 'Verify DNS' }).click();
        await page.locator('[data-step=live][data-state=done]').waitFor({ timeout: LIVE_TIMEOUT_MS });

        await records.remove(name);
        await records.put({ name, type: 'A', data: '198.51.100.9' });
        await page.getByRole('button', { name: 'Verify DNS' }).click();
        await page.getByText('Live · DNS changed', { exact: true }).first().waitFor({ timeout: LIVE_TIMEOUT_MS });
        await page.locator('[data-step=dns][data-state=blocked]').waitFor();
        expect(await page.locator('[data-step][data-state=done]').count()).toBe(4);

        await page.getByRole('link', { name: /^Domains \(\d+ problems?\)$/ }).click();
        const row = page.getByRole('row').filter({ hasText: name });
        await row.getByText('Live · DNS changed', { exact: true }).waitFor();
        const first = await page.getByRole('row').nth(1).innerText();
        expect(first).toContain('·');
        const path = { projectId: dev.projectId, domain: name };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
      }));
  });

  describe('Verify DNS', () => {
    it('says "Checking…" until the result is there, and keeps the focus', () =>
      withPage(fixture(), async (page) => {
        const { stack, pets, dev } = fixture();
        const name = 'slow-check.example.com';
        await openDomains(page, fixture());
        await addDomain(page, name);
        await untilChecked(page);
        const worker = stack.pidOf('domains-worker');
        process.kill(worker, 'SIGSTOP');
        try {
          await page.getByRole('button', { name: 'Verify DNS' }).focus();
          await page.keyboard.press('Enter');
          await page.getByRole('button', { name: 'Checking…' }).waitFor();
          expect(await focusedText(page)).toBe('Checking…');
        } finally {
          process.kill(worker, 'SIGCONT');
        }
        await page.getByRole('button', { name: 'Verify DNS' }).waitFor({ timeout: LIVE_TIMEOUT_MS });
        expect(await focusedText(page)).toBe('Verify DNS');
        await toast(page, 'DNS check finished.').waitFor();
        const path = { projectId: dev.projectId, domain: name };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
      }));

    it('shows its error across the page below the header, until the API is back', () =>
      withPage(
        fixture(),
        async (page) => {
          const { pets, dev } = fixture();
          const name = 'unreached.example.com';
          await openDomains(page, fixture());
          await addDomain(page, name);
          await untilChecked(page);
          // All of it: an event of the automatic checks would make the page read the domain, and then the API is back.
          await page.route('**/v1/projects/**', (route) => route.abort());
          await page.getByRole('button', { name: 'Verify DNS' }).click();
          const alert = page.getByRole('alert');
          await alert.getByText('Could not reach the API.').waitFor();
          const [shown, card] = [await alert.boundingBox(), await page.locator('.card').first().boundingBox()];
          expect(shown?.width).toBe(card?.width);
          expect(shown?.y).toBeLessThan(card?.y ?? 0);

          // Another client changes the domain, so the page reads it again.
          await page.unroute('**/v1/projects/**');
          const path = { projectId: dev.projectId, domain: name };
          await pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', { params: { path } });
          await alert.waitFor({ state: 'detached' });
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
        },
        { expectedErrors: /net::ERR_FAILED/ },
      ));
  });

  describe('a toast', () => {
    it('shows the result of an action, and is dismissed with the keyboard', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await openDomains(page, fixture());
        await page.goto(`${dev.dashboardUrl}/animals`);
        await page.getByRole('button', { name: 'Add animal' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Toasty');
        await dialog.getByRole('textbox', { name: 'Category ID' }).fill('3');
        await page.keyboard.press('Enter');
        await toast(page, 'Toasty added.').waitFor();
        await page.getByRole('button', { name: 'Dismiss' }).focus();
        await page.keyboard.press('Enter');
        await toast(page, 'Toasty added.').waitFor({ state: 'detached' });
      }));
  });
}

function toast(page: Page, text: string) {
  return page.getByRole('region', { name: 'Notifications' }).getByText(text);
}

function focusedText(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.textContent ?? null);
}
