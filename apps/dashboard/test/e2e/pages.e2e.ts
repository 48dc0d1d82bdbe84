import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { withPage, signIn } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** `npm run screenshots` copies these into the docs. */
const screenshotFolder = join(repositoryRoot, 'test-results/dashboard');

const viewports = {
  light: { viewport: { width: 1100, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1100, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true, isMobile: true },
} as const satisfies Record<string, BrowserContextOptions>;

export function describePages(fixture: () => DashboardFixture): void {
  describe('every main page', () => {
    let project = '';
    let live = '';
    let blocked = '';
    beforeAll(async () => {
      await mkdir(screenshotFolder, { recursive: true });
      ({ live, blocked } = await seedPages(fixture()));
      project = `/projects/${fixture().dev.projectId}`;
    }, 90_000);

    const pages = (): Readonly<Record<string, { path: string; shows: string }>> => ({
      projects: { path: '', shows: 'Acme docs' },
      deployments: { path: project, shows: 'Active' },
      domains: { path: `${project}/settings/domains`, shows: 'screenshots.example.com' },
      'domain-live': { path: `${project}/settings/domains/${live}`, shows: 'Pets Development' },
      'domain-blocked': { path: `${project}/settings/domains/${blocked}`, shows: 'Conflicting records' },
      redirects: { path: `${project}/settings/redirects`, shows: 'Redirect 1' },
      animals: { path: '/animals', shows: 'Category ID' },
      orders: { path: '/orders', shows: 'Quantity' },
      'api-keys': { path: '/api-keys', shows: 'Revoke' },
      webhooks: { path: '/webhooks', shows: 'hooks.example.com' },
      audit: { path: '/audit', shows: 'webhook_endpoint.created' },
      nothing: { path: '/nothing', shows: 'This page does not exist.' },
    });

    it.each(Object.entries(viewports))(
      'is accessible and fits the screen: %s',
      (viewport, options) =>
        withPage(
          fixture(),
          async (page) => {
            const { dev } = fixture();
            await page.goto(dev.dashboardUrl);
            await page.getByLabel('API key', { exact: true }).waitFor();
            const problems = [...(await checkPage(page, `sign-in ${viewport}`))];
            await signIn(page, dev.dashboardUrl, dev.apiKey);
            for (const [name, { path, shows }] of Object.entries(pages())) {
              await page.goto(dev.dashboardUrl + path);
              await page.getByText(shows).filter({ visible: true }).first().waitFor();
              problems.push(...(await checkPage(page, `${name} ${viewport}`)));
            }
            expect(problems).toEqual([]);
          },
          options,
        ),
      120_000,
    );
  });
}

/** Takes a screenshot. @returns the problems of the page */
async function checkPage(page: Page, name: string): Promise<string[]> {
  // Chromium on a busy machine sometimes fails one capture ("Unable to capture screenshot"); the next one works.
  await waitUntil(
    () => page.screenshot({ path: join(screenshotFolder, `${name.replace(' ', '-')}.png`), fullPage: true }),
    {
      timeoutMs: 30_000,
      message: 'the screenshot',
    },
  );
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if ((width[0] ?? 0) > (width[1] ?? 0)) return [`${name} is ${width.join(' of ')} wide`];
  // The markup and the colours are those of the light viewport.
  if (name.endsWith(' phone')) return [];
  await page.evaluate(axe.source);
  // Only the colours differ from the light viewport.
  const rules = name.endsWith(' dark') ? { runOnly: ['color-contrast'] } : {};
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    rules,
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Gives every page content: a live domain, a blocked one, a redirect, an order and an endpoint. */
async function seedPages({ pets, dev, records }: DashboardFixture): Promise<{ live: string; blocked: string }> {
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
  await pets.POST('/v1/webhook-endpoints', {
    body: {
      url: 'https://hooks.example.com/pets',
      description: 'Build server',
      eventTypes: ['domain.live'],
      projectId: null,
    },
  });
  const one = { params: { path: { ...path, domain: live.id } } };
  await pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', one);
  await waitUntil(
    async () => (await pets.GET('/v1/projects/{projectId}/domains/{domain}', one)).data?.state === 'live',
    { timeoutMs: 60_000, message: 'the seeded domain to go live' },
  );
  return { live: live.id, blocked: blocked.id };
}
