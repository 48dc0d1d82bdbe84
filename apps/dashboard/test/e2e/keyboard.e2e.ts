import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { domainsUrl, asVisitor } from '../visitor.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const NAME = 'keys.example.com';
const MAX_TABS = 40;

/** Everything with the keyboard alone: the mouse is never touched. */
export function tellKeyboardStory(fixture: () => DashboardFixture): void {
  describe('the keyboard alone', () => {
    it(
      'signs in, adds a domain, and removes it; the focus is never lost',
      () =>
        asVisitor(fixture(), async (page) => {
          const { dev } = fixture();
          await page.goto(domainsUrl(dev));
          await page.getByLabel('API key', { exact: true }).waitFor();
          await tabTo(page, 'API key');
          await page.keyboard.insertText(dev.apiKey);
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
          expect(await focused(page)).toBe('Domains');

          await tabTo(page, 'Add domain');
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').getByRole('textbox', { name: 'Domain' }).waitFor();
          await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
          await page.keyboard.insertText(NAME);
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { name: NAME, level: 1 }).waitFor();
          expect(await focused(page)).toBe(NAME);

          await tabTo(page, `More actions for ${NAME}`);
          await page.keyboard.press('Enter');
          await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
          await page.keyboard.press('ArrowDown');
          await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');
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
      'leaves a dialog by Escape, and is back where it was opened',
      () =>
        asVisitor(fixture(), async (page) => {
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

/** The name of what has the focus: its label, or its text. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').trim();
  });
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} is not reached with ${MAX_TABS} tabs; the focus is at ${await focused(page)}`);
}
