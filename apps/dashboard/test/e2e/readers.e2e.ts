import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import type { Page } from 'playwright-core';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { findSeriousViolations } from '../serious-violations.js';
import { signIn, signInAsPerson, withPage } from '../with-page.js';

/** Pages by name: the path, and a text that they show when they have loaded. */
export type MainPages = Readonly<Record<string, { readonly path: string; readonly shows: string | RegExp }>>;

/** Controls that change nothing. Every other one must be absent or disabled for callers who may only read. */
const harmless = /^(?:Copy .*|Only this .*|Send these steps .*|Show more|Download report|Test)$/;

/** Some of the others, on nearly every page. */
const changingControls = [
  ...['Create project', 'Choose folder', 'Put on a channel…', 'Add domain', 'Verify DNS', 'Remove', 'Save'],
  ...['Add animal', 'Place order'],
  ...['Fulfill', 'Create API key', 'Create endpoint', 'Rotate secret'],
];

/** Callers who may only read, or only do a part. */
export function describeReaders(fixture: () => DashboardFixture, pages: () => MainPages): void {
  describe('for a caller', () => {
    it(
      'with the role viewer has no control that the API refuses, and says why',
      () =>
        withPage(fixture(), async (page) => {
          const refused = collectRefusals(page);
          await signInAsPerson(page, fixture(), { name: 'Vera', role: 'viewer' });
          const changing = await findChangingControls(page, fixture(), pages());
          expect(changing).toEqual([]);
          expect(refused).toEqual([]);
        }),
      240_000,
    );

    it(
      'who may do everything has these controls',
      () =>
        withPage(fixture(), async (page) => {
          const { dev } = fixture();
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          const changing = await findChangingControls(page, fixture(), pages());
          const names = new Set(changing.map((each) => each.replace(/^.*?: /, '')));
          expect([...names]).toEqual(expect.arrayContaining([...changingControls]));
        }),
      240_000,
    );

    it('with an API key of few scopes has the pages and controls of these scopes', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        const refused = collectRefusals(page);
        await signIn(page, dev.dashboardUrl, await createKey(fixture(), ['pets:read', 'pets:write', 'orders:read']));
        await page.getByText('Your API key lacks the scope projects:read that this page needs.').waitFor();
        const navigation = page.getByRole('navigation', { name: 'Main' });
        expect(await navigation.getByRole('link').allInnerTexts()).toEqual(['Animals', 'Orders']);
        await navigation.getByRole('link', { name: 'Orders' }).click();
        await page.getByText('not change it: it lacks the scope orders:write.').waitFor();
        expect(await findControls(page)).toEqual([]);
        await navigation.getByRole('link', { name: 'Animals' }).click();
        await page.getByRole('button', { name: 'Add animal' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Of a narrow key');
        await dialog.getByRole('textbox', { name: 'Category ID' }).fill('1');
        await dialog.getByRole('button', { name: 'Add animal' }).click();
        await page.getByRole('status').getByText('Of a narrow key added.').waitFor();
        expect(refused).toEqual([]);
      }));

    it('whose role was changed gets the controls of the new one', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        await signInAsPerson(page, fixture(), { name: 'Dora', role: 'viewer' });
        await page.goto(`${dev.dashboardUrl}/animals`);
        await page.getByText('Your role, Viewer, lets you read this page but not change it.').waitFor();
        const { data: people = [] } = await pets.GET('/v1/people', { params: { query: { limit: 100 } } });
        const personId = people.find(({ name }) => name === 'Dora')?.id ?? '';
        await pets.PATCH('/v1/people/{personId}', { params: { path: { personId } }, body: { role: 'developer' } });
        const add = page.getByRole('button', { name: 'Add animal' }).first();
        // Authentication caches a principal for a second, so the page may still be answered as before.
        const isOffered = async () => {
          await page.reload();
          await add.waitFor({ timeout: 5_000 });
          return true;
        };
        await waitUntil(isOffered, { timeoutMs: 60_000, message: 'the controls of the new role' });
        expect(await page.getByText('lets you read this page').count()).toBe(0);
      }));
  });
}

/** The requests that the API refuses because of the caller, from now on. */
function collectRefusals(page: Page): readonly string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  return refused;
}

/** Visits every page with its menus and folded parts open. @returns what could be clicked there and may change something */
async function findChangingControls(page: Page, { dev }: DashboardFixture, pages: MainPages): Promise<string[]> {
  const found: string[] = [];
  for (const [name, { path, shows }] of Object.entries(pages)) {
    await page.goto(dev.dashboardUrl + path);
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    await page.locator('details').evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));
    for (const control of await findControls(page)) found.push(`${name}: ${control}`);
    for (const menu of await page.getByRole('main').locator('[aria-haspopup=menu]').all()) {
      await menu.click();
      await page.getByRole('menu').waitFor();
      for (const control of await page.getByRole('menuitem').allInnerTexts()) found.push(`${name}: ${control}`);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
    for (const violation of await findSeriousViolations(page)) found.push(`${name}: ${violation}`);
  }
  return found;
}

/** The names of the enabled controls of the page, without those that only choose what it shows. */
async function findControls(page: Page): Promise<string[]> {
  const controls = page
    .getByRole('main')
    .locator('form:not([role=search]) :is(input, select, textarea):enabled, :is(button, [type=checkbox]):enabled');
  const names = await controls.evaluateAll((found) =>
    found
      .filter((each) => each.checkVisibility())
      .map((each) => (each.getAttribute('aria-label') ?? (each as HTMLElement).innerText) || each.tagName),
  );
  return names.filter((name) => !harmless.test(name));
}

async function createKey({ pets }: DashboardFixture, scopes: Scope[]): Promise<string> {
  const { data } = await pets.POST('/v1/api-keys', { body: { name: scopes.join(', '), scopes } });
  return data?.secret ?? '';
}
