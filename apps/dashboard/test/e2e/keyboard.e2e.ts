import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { domainsUrl, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const NAME = 'keys.example.com';
const MAX_TABS = 40;

export function describeKeyboard(fixture: () => DashboardFixture): void {
  describe('using only the keyboard', () => {
    it(
      'signs in, adds a domain and removes it without losing the focus',
      () =>
        withPage(fixture(), async (page) => {
          const { dev } = fixture();
          await page.goto(domainsUrl(dev));
          await page.getByLabel('API key', { exact: true }).waitFor();
          await tabTo(page, 'API key');
          await page.keyboard.insertText(dev.apiKey);
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
          expect(await focusedName(page)).toBe('Domains');

          await tabTo(page, 'Add domain');
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').getByRole('textbox', { name: 'Domain' }).waitFor();
          await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
          await page.keyboard.insertText(NAME);
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { name: NAME, level: 1 }).waitFor();
          expect(await focusedName(page)).toBe(NAME);

          await tabTo(page, `More actions for ${NAME}`);
          await page.keyboard.press('Enter');
          await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
          const isFocused = (text: string) => document.activeElement?.textContent === text;
          await page.waitForFunction(isFocused, 'Move to another project');
          await page.keyboard.press('ArrowDown');
          await page.waitForFunction(isFocused, 'Remove');
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').waitFor();
          await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
          await tabTo(page, 'Remove domain');
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
          await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
        }),
      60_000,
    );

    it(
      'closes a dialog with Escape, and returns the focus to the button that opened it',
      () =>
        withPage(fixture(), async (page) => {
          const { dev } = fixture();
          await page.goto(domainsUrl(dev));
          await tabTo(page, 'API key');
          await page.keyboard.insertText(dev.apiKey);
          await page.keyboard.press('Enter');
          await page.getByRole('button', { name: 'Add domain' }).waitFor();
          await tabTo(page, 'Add domain');
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').getByRole('textbox').waitFor();
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await page.waitForFunction(() => document.activeElement?.textContent === 'Add domain');
        }),
      60_000,
    );
  });
}

/** The accessible name of the focused element: its label or its text. */
async function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').trim();
  });
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if ((await focusedName(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} tabs did not reach ${name}; the focus is on ${await focusedName(page)}`);
}
