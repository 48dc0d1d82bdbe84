import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { devices, findProblems, themesOf } from '../looks.js';
import { withPage, signIn } from '../with-page.js';
import { describeReaders, type MainPages } from './readers.e2e.js';

export function describePages(fixture: () => DashboardFixture): void {
  describe('every main page', () => {
    let project = '';
    let live = '';
    let blocked = '';
    let endpoint = '';
    let delivery = '';
    beforeAll(async () => {
      ({ live, blocked, endpoint, delivery } = await seedPages(fixture()));
      project = `/projects/${fixture().dev.projectId}`;
    });

    const pages = (): MainPages => ({
      projects: { path: '', shows: 'Acme docs' },
      deployments: { path: project, shows: 'Active' },
      domains: { path: `${project}/settings/domains`, shows: 'screenshots.example.com' },
      'domain-live': { path: `${project}/settings/domains/${live}`, shows: 'screenshots.example.com is live' },
      'domain-blocked': { path: `${project}/settings/domains/${blocked}`, shows: 'Change these records at' },
      redirects: { path: `${project}/settings/redirects`, shows: 'Visitors of' },
      application: { path: `${project}/settings/application`, shows: 'The project serves its deployment.' },
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
      'setup-page': { path: '/setup-page', shows: 'Colour of buttons' },
      'no-domain': { path: `${project}/settings/domains/no.example.com`, shows: 'This project has no such domain.' },
      nothing: { path: '/nothing', shows: 'This page does not exist.' },
    });

    /** Pages beside the dashboard that the API and the edge show in a browser, but for the reference, which has tests of its own. */
    const otherPages = (): Readonly<Record<string, { url: string; shows: string }>> => {
      const { apiUrl, edgeHttpUrl, platformDomain } = fixture().dev;
      const edge = `http://nobody.${platformDomain}:${new URL(edgeHttpUrl).port}/`;
      return {
        'start-page': { url: `${apiUrl}/`, shows: 'Dashboard' },
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
            const checkLooks = async (name: string, options = {}) =>
              void problems.push(...(await findProblems(page, name, looks, options)));
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

    it.each(devices)('is accessible with menus, dialogs and toasts open: %s', (_device, options, looks) =>
      withPage(
        fixture(),
        async (page) => {
          const { dev } = fixture();
          await signIn(page, `${dev.dashboardUrl}${project}/settings/domains/${blocked}`, dev.apiKey);
          const problems: string[] = [];
          const themes = themesOf(looks);
          const check = async (name: string) => problems.push(...(await findProblems(page, name, themes)));
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
    );

    describeReaders(fixture, pages);
  });
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
