import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { domainsUrl, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const NAME = 'keys.example.com';
const MAX_TABS = 60;
const redirected = ['a.keyboard.example', 'b.keyboard.example'] as const;

export function describeKeyboard(fixture: () => DashboardFixture): void {
  describe('using only the keyboard', () => {
    it('signs in, adds a domain and removes it without losing the focus', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signInByKeyboard(page, domainsUrl(dev), dev.apiKey);
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
      }));

    it('closes a dialog with Escape, and returns the focus to the button that opened it', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signInByKeyboard(page, domainsUrl(dev), dev.apiKey);
        await page.getByRole('button', { name: 'Add domain' }).first().waitFor();
        await tabTo(page, 'Add domain');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByRole('textbox').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.waitForFunction(() => document.activeElement?.textContent === 'Add domain');
      }));

    it('creates an API key and saves it', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signInByKeyboard(page, `${dev.dashboardUrl}/api-keys`, dev.apiKey);
        await openDialog(page, 'Create API key');
        await page.keyboard.insertText('By keyboard');
        await tabTo(page, 'pets:read');
        await page.keyboard.press('Space');
        await tabTo(page, 'Existing API key');
        await page.keyboard.insertText(dev.apiKey);
        await page.keyboard.press('Enter');
        await closeSecret(page, 'I have saved this key');
        await page.waitForFunction(() => document.activeElement?.textContent === 'Create API key');
        await page.getByRole('row').filter({ hasText: 'By keyboard' }).getByText('pets:read').waitFor();
      }));

    it('adds a webhook endpoint and saves its secret', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const url = 'https://keyboard.example.com/hooks';
        await signInByKeyboard(page, `${dev.dashboardUrl}/webhooks`, dev.apiKey);
        await openDialog(page, 'Create endpoint');
        await page.keyboard.insertText(url);
        await page.keyboard.press('Enter');
        await closeSecret(page, 'I have saved this secret');
        await page.getByRole('link', { name: url }).waitFor();
        const { data = [] } = await pets.GET('/v1/webhook-endpoints');
        const endpointId = data.find((each) => each.url === url)?.id ?? '';
        await pets.DELETE('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } } });
      }));

    it('adds a redirect, saves it, and deletes it', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const path = { projectId: dev.projectId };
        for (const name of redirected)
          await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
        const redirects = `${dev.dashboardUrl}/projects/${dev.projectId}/settings/redirects`;
        await signInByKeyboard(page, redirects, dev.apiKey);
        await page.getByRole('button', { name: 'Add redirect' }).waitFor();
        const before = await page.getByRole('group', { name: /^Redirect \d+$/ }).count();
        await tabTo(page, 'Add redirect');
        await page.keyboard.press('Enter');
        const row = page.getByRole('group', { name: `Redirect ${before + 1}` });
        await row.getByLabel('From').focus();
        await page.keyboard.type(redirected[0]);
        await row.getByLabel('To').focus();
        await page.keyboard.type(redirected[1]);
        await page.getByText('Not saved yet').waitFor();
        await tabTo(page, 'Save');
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText('Redirects saved.').waitFor();
        await tabTo(page, `Delete redirect ${before + 1}`);
        await page.keyboard.press('Enter');
        await row.waitFor({ state: 'detached' });
        await tabTo(page, 'Save');
        await page.keyboard.press('Enter');
        await page.getByText('Not saved yet').waitFor({ state: 'detached' });
        for (const domain of redirected)
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path: { ...path, domain } } });
      }));
  });
}

async function signInByKeyboard(page: Page, url: string, apiKey: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('API key', { exact: true }).waitFor();
  await tabTo(page, 'API key');
  await page.keyboard.insertText(apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Account of' }).waitFor();
}

/** Opens a dialog with its button. The first field has the focus. */
async function openDialog(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).first().waitFor();
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
}

/** Closes the dialog that shows a new secret. */
async function closeSecret(page: Page, button: string): Promise<void> {
  await page.locator('[data-secret]').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Copy');
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The accessible name of the focused element: its label or its text. */
async function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').replace(/ \*$/, '').trim();
  });
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if ((await focusedName(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} tabs did not reach ${name}; the focus is on ${await focusedName(page)}`);
}
