import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { asVisitor, signIn } from '../visitor.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** Pictures of the main pages: kept with the results of the tests, and copied to the documents by `npm run screenshots`. */
const picturesFolder = join(repositoryRoot, 'test-results/dashboard');

const looks = {
  light: { viewport: { width: 1100, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1100, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true, isMobile: true },
} as const satisfies Record<string, BrowserContextOptions>;

/** Every main page, with something on it: accessible, within the screen, and as it looks. */
export function tellPagesStory(fixture: () => DashboardFixture): void {
  describe('every main page', () => {
    let project = '';
    let live = '';
    let waiting = '';
    beforeAll(async () => {
      await mkdir(picturesFolder, { recursive: true });
      ({ live, waiting } = await furnish(fixture()));
      project = `/projects/${fixture().dev.projectId}`;
    }, 90_000);

    const pages = (): Readonly<Record<string, { path: string; shows: string }>> => ({
      projects: { path: '', shows: 'Acme docs' },
      deployments: { path: project, shows: 'Active' },
      domains: { path: `${project}/settings/domains`, shows: 'pictures.example.com' },
      'domain-live': { path: `${project}/settings/domains/${live}`, shows: 'Pets Development' },
      'domain-blocked': { path: `${project}/settings/domains/${waiting}`, shows: 'Conflicting records' },
      redirects: { path: `${project}/settings/redirects`, shows: 'Redirect 1' },
      animals: { path: '/animals', shows: 'Category ID' },
      orders: { path: '/orders', shows: 'Quantity' },
      'api-keys': { path: '/api-keys', shows: 'Revoke' },
      webhooks: { path: '/webhooks', shows: 'hooks.example.com' },
      audit: { path: '/audit', shows: 'webhook_endpoint.created' },
      nothing: { path: '/nothing', shows: 'This page does not exist.' },
    });

    it.each(Object.entries(looks))(
      '%s: axe finds nothing serious, and nothing is wider than the screen',
      (look, options) =>
        asVisitor(
          fixture(),
          async (page) => {
            const { dev } = fixture();
            await page.goto(dev.dashboardUrl);
            await page.getByLabel('API key', { exact: true }).waitFor();
            const findings = [...(await judge(page, `sign-in ${look}`))];
            await signIn(page, dev.dashboardUrl, dev.apiKey);
            for (const [name, { path, shows }] of Object.entries(pages())) {
              await page.goto(dev.dashboardUrl + path);
              await page.getByText(shows).filter({ visible: true }).first().waitFor();
              findings.push(...(await judge(page, `${name} ${look}`)));
            }
            expect(findings).toEqual([]);
          },
          options,
        ),
      120_000,
    );
  });
}

/** Takes the picture, and lists what is wrong with the page. */
async function judge(page: Page, name: string): Promise<string[]> {
  await takePicture(page, join(picturesFolder, `${name.replace(' ', '-')}.png`));
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if ((width[0] ?? 0) > (width[1] ?? 0)) return [`${name} is ${width.join(' of ')} wide`];
  // The same markup in the same colours as on a wide screen.
  if (name.endsWith(' phone')) return [];
  await page.evaluate(axe.source);
  // In the dark the markup is the same and the colours are others.
  const rules = name.endsWith(' dark') ? { runOnly: ['color-contrast'] } : {};
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    rules,
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Chromium on a busy machine now and then refuses one capture ("Unable to capture screenshot") and takes the next. */
async function takePicture(page: Page, path: string, retries = 3): Promise<void> {
  try {
    await page.screenshot({ path, fullPage: true });
  } catch (error) {
    if (retries === 0 || !String(error).includes('Unable to capture screenshot')) throw error;
    await takePicture(page, path, retries - 1);
  }
}

/** Something to see on every page: a domain that is live, one that waits, a redirect, an order, an endpoint. */
async function furnish({ pets, dev, records }: DashboardFixture): Promise<{ live: string; waiting: string }> {
  const path = { projectId: dev.projectId };
  const add = async (name: string) => {
    const { data } = await pets.POST('/v1/projects/{projectId}/domains', {
      params: { path },
      body: { name, pair: false },
    });
    if (data === undefined) throw new Error(`${name} was not added`);
    return data;
  };
  const live = await add('pictures.example.com');
  await records.put({ name: live.name, type: 'CNAME', data: `${live.records[0]?.value ?? ''}.` });
  await records.put({ name: 'www.pictures-example.net', type: 'A', data: '203.0.113.7' });
  const waiting = await add('www.pictures-example.net');
  const redirects = [{ from: waiting.name, to: live.name, status: 301 as const }];
  await pets.PUT('/v1/projects/{projectId}/domain-config', {
    params: { path },
    body: { domains: { primary: live.name, redirects } },
  });
  const { data: animal } = await pets.POST('/v1/pets', {
    body: { name: 'Picture', categoryId: 7, status: 'available' },
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
    { timeoutMs: 60_000, message: 'the domain of the pictures to go live' },
  );
  return { live: live.id, waiting: waiting.id };
}
