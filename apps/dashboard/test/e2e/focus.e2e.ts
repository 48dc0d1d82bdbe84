import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { openDomains, signIn, withPage } from '../with-page.js';

const names = ['one.focus.example', 'two.focus.example'] as const;

export function describeFocus(fixture: () => DashboardFixture): void {
  describe('the focus, when its control disappears', () => {
    it('moves to the heading of the page after a key was revoked and a toast dismissed', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        await pets.POST('/v1/api-keys', { body: { name: 'Focused', scopes: ['pets:read'] } });
        await signIn(page, `${dev.dashboardUrl}/api-keys`, dev.apiKey);
        await press(page, page.getByRole('button', { name: 'Revoke Focused' }));
        await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
        await press(page, page.getByRole('dialog').getByRole('button', { name: 'Revoke' }));
        await page.getByRole('button', { name: 'Revoke Focused' }).waitFor({ state: 'detached' });
        await waitForHeading(page, 'API keys');

        await press(page, page.getByRole('button', { name: 'Dismiss' }));
        await waitForHeading(page, 'API keys');
      }));

    it('moves to the opener of a dialog whose content was replaced, however late the dialog itself returns it', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await page.addInitScript((returnMs) => {
          const setTimer = globalThis.setTimeout;
          // As on a busy machine.
          globalThis.setTimeout = ((run: () => void, ms?: number) =>
            setTimer(run, ms === returnMs ? 1_000 : ms)) as typeof setTimeout;
        }, 10);
        await signIn(page, `${dev.dashboardUrl}/api-keys`, dev.apiKey);
        await press(page, page.getByRole('button', { name: 'Create API key' }));
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Late');
        await dialog.getByRole('checkbox', { name: 'pets:read' }).check();
        await dialog.getByLabel('Existing API key').fill(dev.apiKey);
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => document.activeElement?.textContent === 'Copy');
        await press(page, dialog.getByRole('button', { name: 'I have saved this key' }));
        await page.waitForFunction(() => document.activeElement?.textContent === 'Create API key');
      }));

    it('moves to the heading after a row of the redirects was deleted, and the selection was cleared', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const path = { projectId: dev.projectId };
        for (const name of names)
          await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
        await openDomains(page, fixture());
        await page.getByRole('checkbox', { name: `Select ${names[0]}` }).focus();
        await page.keyboard.press('Space');
        await press(page, page.getByRole('button', { name: 'Clear selection' }));
        await waitForHeading(page, 'Domains');

        await press(page, page.getByRole('link', { name: 'Redirects', exact: true }));
        await press(page, page.getByRole('button', { name: 'Add redirect' }));
        await press(page, page.getByRole('button', { name: /^Delete redirect \d+$/ }).last());
        await waitForHeading(page, 'Primary domain and redirects');
        for (const domain of names)
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path: { ...path, domain } } });
      }));

    it('moves to the button that opened a dialog, where the dialog does not return it', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/animals`, dev.apiKey);
        const button = page.getByRole('button', { name: 'Add animal' }).first();
        await press(page, button);
        await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
        // A key that is pressed while the dialog closes ends its own attempt.
        await page.keyboard.press('Escape');
        await page.evaluate(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' })));
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.waitForFunction(() => document.activeElement?.textContent === 'Add animal');
      }));

    it('stays away after a click beside all controls', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/animals`, dev.apiKey);
        await page.getByRole('button', { name: 'Add animal' }).first().focus();
        await page.mouse.click(2, 600);
        await page.getByLabel('Status').evaluate((select) => {
          select.focus();
          (document.activeElement as HTMLElement).blur();
        });
        // Long enough for the focus to move, if it did.
        await page.waitForTimeout(300);
        expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
      }));
  });
}

async function press(page: Page, control: ReturnType<Page['locator']>): Promise<void> {
  await control.focus();
  await page.keyboard.press('Enter');
}

async function waitForHeading(page: Page, heading: string): Promise<void> {
  const isFocused = (text: string) =>
    document.activeElement?.tagName === 'H1' && document.activeElement.textContent === text;
  await page.waitForFunction(isFocused, heading);
}
