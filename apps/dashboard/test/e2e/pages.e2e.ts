import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { findSeriousViolations } from '../serious-violations.js';
import { findSmallTargets } from '../small-targets.js';
import { withPage, signIn } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { describeReaders, type MainPages } from './readers.e2e.js';

/** Only for `npm run screenshots`, which copies them into the docs: a full page takes longer than all its checks. */
const screenshotFolder =
  process.env['PETS_SCREENSHOTS'] === 'true' ? join(repositoryRoot, 'test-results/dashboard') : null;

/** What axe looks at: the markup differs by width alone, and the colours by theme. */
type Checks = 'all' | 'contrast' | 'none';

/** One way in which a page is looked at. */
interface Look {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly checks: Checks;
}

const touch = { hasTouch: true, isMobile: true };
const [desktop, phone] = [
  { width: 1440, height: 900 },
  { width: 390, height: 740 },
];

const desktopLooks: readonly Look[] = [
  { name: 'desktop-light', size: desktop, colorScheme: 'light', checks: 'all' },
  { name: 'desktop-dark', size: desktop, colorScheme: 'dark', checks: 'contrast' },
  { name: 'tablet-light', size: { width: 820, height: 900 }, colorScheme: 'light', checks: 'none' },
  // 200 % zoom of a window of 1280 by 800.
  { name: 'zoomed-light', size: { width: 640, height: 400 }, colorScheme: 'light', checks: 'none' },
];
const phoneLooks: readonly Look[] = [
  { name: 'phone-light', size: phone, colorScheme: 'light', checks: 'all' },
  { name: 'phone-dark', size: phone, colorScheme: 'dark', checks: 'contrast' },
  { name: 'narrow-light', size: { width: 320, height: 740 }, colorScheme: 'light', checks: 'none' },
];

/** A page is loaded once for all looks of a device, which change while it is open. */
const devices: readonly [string, BrowserContextOptions, readonly Look[]][] = [
  ['desktop', { viewport: desktop }, desktopLooks],
  ['phone', { viewport: phone, ...touch }, phoneLooks],
];

const menuLooks: readonly [string, BrowserContextOptions][] = [
  ['desktop-light', { viewport: desktop }],
  ['desktop-dark', { viewport: desktop, colorScheme: 'dark' }],
  ['phone-light', { viewport: phone, ...touch }],
];

export function describePages(fixture: () => DashboardFixture): void {
  describe('every main page', () => {
    let project = '';
    let live = '';
    let blocked = '';
    let endpoint = '';
    let delivery = '';
    beforeAll(async () => {
      if (screenshotFolder !== null) await mkdir(screenshotFolder, { recursive: true });
      ({ live, blocked, endpoint, delivery } = await seedPages(fixture()));
      project = `/projects/${fixture().dev.projectId}`;
    }, 90_000);

    const pages = (): MainPages => ({
      projects: { path: '', shows: 'Acme docs' },
      deployments: { path: project, shows: 'Active' },
      domains: { path: `${project}/settings/domains`, shows: 'screenshots.example.com' },
      'domain-live': { path: `${project}/settings/domains/${live}`, shows: 'Pets Development' },
      'domain-blocked': { path: `${project}/settings/domains/${blocked}`, shows: 'DNS records to create' },
      redirects: { path: `${project}/settings/redirects`, shows: 'Visitors of' },
      animals: { path: '/animals', shows: /^(?:Available|Pending|Sold)$/ },
      orders: { path: '/orders', shows: /^(?:Placed|Fulfilled|Cancelled)$/ },
      'api-keys': { path: '/api-keys', shows: 'Valid' },
      webhooks: { path: '/webhooks', shows: 'hooks.example.com' },
      'webhook-endpoint': { path: `/webhooks/${endpoint}`, shows: /^Retrying/ },
      'webhook-delivery': { path: `/webhooks/${endpoint}/deliveries/${delivery}`, shows: 'Request headers' },
      'webhook-events': { path: '/webhook-events', shows: 'domain.moved' },
      'no-delivery': { path: `/webhooks/${endpoint}/deliveries/${endpoint}`, shows: 'There is no such delivery.' },
      audit: { path: '/audit', shows: 'Webhook endpoint created' },
      people: { path: '/people', shows: 'Invitations' },
      'no-domain': { path: `${project}/settings/domains/no.example.com`, shows: 'This project has no such domain.' },
      nothing: { path: '/nothing', shows: 'This page does not exist.' },
    });

    /** Beside the dashboard: what the API and the edge show in a browser. */
    const otherPages = (): Readonly<Record<string, { url: string; shows: string }>> => {
      const { apiUrl, edgeHttpUrl, platformDomain } = fixture().dev;
      const edge = `http://nobody.${platformDomain}:${new URL(edgeHttpUrl).port}/`;
      return {
        'start-page': { url: `${apiUrl}/`, shows: 'Dashboard' },
        reference: { url: `${apiUrl}/docs`, shows: 'Quick start' },
        'edge-unknown-host': { url: edge, shows: 'No site here yet' },
      };
    };

    it.each(devices)(
      'is accessible and fits the screen of a %s, in every size and theme',
      (_device, options, looks) =>
        withPage(
          fixture(),
          async (page) => {
            const { dev } = fixture();
            const problems: string[] = [];
            const checkLooks = async (name: string, { fullPage = true } = {}) => {
              for (const { name: look, size, colorScheme, checks } of looks) {
                await page.emulateMedia({ colorScheme });
                await page.setViewportSize(size);
                await untilPainted(page);
                problems.push(...(await checkPage(page, `${name}-${look}`, checks, { fullPage })));
              }
            };
            await page.goto(dev.dashboardUrl);
            await page.getByLabel('API key', { exact: true }).waitFor();
            await checkLooks('sign-in');
            await signIn(page, dev.dashboardUrl, dev.apiKey);
            for (const [name, { path, shows }] of Object.entries(pages())) {
              await page.goto(dev.dashboardUrl + path);
              await page.getByText(shows).filter({ visible: true }).first().waitFor();
              await checkLooks(name);
            }
            for (const [name, { url, shows }] of Object.entries(otherPages())) {
              await page.goto(url);
              await page.getByText(shows).filter({ visible: true }).first().waitFor();
              await checkLooks(name, { fullPage: false });
            }
            expect(problems).toEqual([]);
          },
          options,
        ),
      240_000,
    );

    it.each(menuLooks)(
      'is accessible with menus, dialogs and toasts open: %s',
      (look, options) =>
        withPage(
          fixture(),
          async (page) => {
            const { dev } = fixture();
            await signIn(page, `${dev.dashboardUrl}${project}/settings/domains/${blocked}`, dev.apiKey);
            const problems: string[] = [];
            const check = async (name: string) => problems.push(...(await checkPage(page, `${name}-${look}`, 'all')));
            await page.getByRole('button', { name: 'Account of' }).click();
            await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
            await check('account-menu');
            await page.keyboard.press('Escape');
            const menu = page.getByRole('button', { name: 'More actions for' });
            await menu.click();
            await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
            await check('domain-menu');
            await page.getByRole('menuitem', { name: 'Remove' }).click();
            await page.getByRole('dialog').getByText('Traffic to the domain stops').waitFor();
            await check('remove-dialog');
            await page.keyboard.press('Escape');
            await page.waitForFunction(
              (label) => document.activeElement?.getAttribute('aria-label') === label,
              await menu.getAttribute('aria-label'),
            );

            await page.goto(`${dev.dashboardUrl}/orders`);
            await page.getByRole('button', { name: 'Place order' }).first().click();
            const choice = page.getByRole('dialog').getByRole('option').first();
            await choice.or(page.getByText('No animal is available.')).waitFor();
            await check('order-dialog');
            await page.goto(`${dev.dashboardUrl}/animals`);
            await page.getByRole('button', { name: 'Add animal' }).first().click();
            const dialog = page.getByRole('dialog');
            await dialog.getByRole('button', { name: 'Add animal' }).click();
            await dialog.locator('[aria-invalid=true]').first().waitFor();
            await check('invalid-form');
            await dialog.getByRole('textbox', { name: 'Name' }).fill('Announced');
            await dialog.getByRole('textbox', { name: 'Category ID' }).fill('1');
            await page.keyboard.press('Enter');
            await page.getByRole('button', { name: 'Dismiss' }).waitFor();
            await check('toast');
            expect(problems).toEqual([]);
          },
          options,
        ),
      120_000,
    );

    describeReaders(fixture, pages);
  });
}

/** Scripts that follow the size or the theme have run, and what they changed is laid out. */
async function untilPainted(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** @returns the problems of the page */
async function checkPage(
  page: Page,
  name: string,
  checks: Checks,
  { fullPage = true }: { fullPage?: boolean } = {},
): Promise<string[]> {
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' });
  if (screenshotFolder !== null) {
    // Chromium on a busy machine sometimes fails one capture ("Unable to capture screenshot"); the next one works.
    await waitUntil(() => page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage }), {
      timeoutMs: 30_000,
      message: 'the screenshot',
    });
  }
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if ((width[0] ?? 0) > (width[1] ?? 0)) return [`${name} is ${width.join(' of ')} wide`];
  const current = await page
    .locator('nav [aria-current=page]')
    .evaluateAll((links) =>
      links.every((link) => link.getBoundingClientRect().left >= 0 && link.getBoundingClientRect().right <= innerWidth),
    );
  if (!current) return [`${name} does not show where it is in the navigation`];
  const cut = await findCutControls(page);
  if (cut.length > 0) return cut.map((control) => `${name} cuts off ${control}`);
  const isOurs = /^\/(?:dashboard|docs)\b/.test(new URL(page.url()).pathname);
  const small = isOurs && /-(?:phone|narrow)-/.test(name) ? await findSmallTargets(page) : [];
  if (small.length > 0) return small.map((target) => `${name} has a small target: ${target}`);
  if (checks === 'none') return [];
  const found = await findSeriousViolations(page, checks === 'contrast' ? { runOnly: ['color-contrast'] } : {});
  return found.map((violation) => `${name}: ${violation}`);
}

/** Controls of the content that reach beyond their card or the page, where only the navigation scrolls. */
function findCutControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main :is(a[href], button, input, select)')]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }) && control.closest('nav') === null)
      .filter((control) => {
        const edge = control.closest('.card, .fold, main')?.getBoundingClientRect().right ?? innerWidth;
        return control.getBoundingClientRect().right > edge + 0.5;
      })
      .map((control) => control.innerText),
  );
}

/** Ids in the URLs of pages. */
interface SeededPages {
  readonly live: string;
  readonly blocked: string;
  readonly endpoint: string;
  readonly delivery: string;
}

/** Gives every page content: a live domain, a blocked one, a redirect, an order and an endpoint. */
async function seedPages({ pets, dev, records }: DashboardFixture): Promise<SeededPages> {
  const path = { projectId: dev.projectId };
  const add = async (name: string) => {
    const { data } = await pets.POST('/v1/projects/{projectId}/domains', {
      params: { path },
      body: { name, pair: false },
    });
    if (data === undefined) throw new Error(`${name} was not added`);
    return data;
  };
  const live = await add('screenshots.example.com');
  await records.put({ name: live.name, type: 'CNAME', data: `${live.records[0]?.value ?? ''}.` });
  await records.put({ name: 'www.screenshots-example.net', type: 'A', data: '203.0.113.7' });
  const blocked = await add('www.screenshots-example.net');
  const redirects = [{ from: blocked.name, to: live.name, status: 301 as const }];
  await pets.PUT('/v1/projects/{projectId}/domain-config', {
    params: { path },
    body: { domains: { primary: live.name, redirects } },
  });
  const { data: animal } = await pets.POST('/v1/pets', {
    body: { name: 'Rex', categoryId: 7, status: 'available' },
  });
  await pets.POST('/v1/store/orders', { body: { petId: animal?.id ?? 0, quantity: 2 } });
  const { data: endpoint } = await pets.POST('/v1/webhook-endpoints', {
    body: {
      url: 'https://hooks.example.com/pets',
      description: 'Build server',
      eventTypes: ['domain.live'],
      projectId: null,
    },
  });
  const endpointId = endpoint?.id ?? '';
  const { data: delivery } = await pets.POST('/v1/webhook-endpoints/{endpointId}/test', {
    params: { path: { endpointId } },
  });
  const one = { params: { path: { ...path, domain: live.id } } };
  await pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', one);
  await waitUntil(
    async () => (await pets.GET('/v1/projects/{projectId}/domains/{domain}', one)).data?.state === 'live',
    { timeoutMs: 60_000, message: 'the seeded domain to go live' },
  );
  return { live: live.id, blocked: blocked.id, endpoint: endpointId, delivery: delivery?.id ?? '' };
}
