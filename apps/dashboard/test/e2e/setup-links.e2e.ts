import { describe, expect, it } from '@jest/globals';
import type { Setup } from '@pets/contracts';
import { describeIssue } from '@pets/domains';
import { plainPng, waitUntil } from '@pets/testing';
import type { Page } from 'playwright-core';
import { createLink } from '../create-link.js';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { watchLayoutShift } from '../layout-shift.js';
import { devices, findProblems } from '../looks.js';
import { findViolations } from '../serious-violations.js';
import { signIn, withPage, zoneLine } from '../with-page.js';

const LIVE_TIMEOUT_MS = 60_000;
/** The API says within a second that a link has ended; a page that missed that asks every ten. */
const END_TIMEOUT_MS = 45_000;

export function describeSetupLinks(fixture: () => DashboardFixture): void {
  describe('the page of a set-up link, without a session', () => {
    it('shows the records, and that the domain is live, without a click', () =>
      withPage(fixture(), async (page) => {
        const name = 'owner.example.com';
        const { url, target } = await createLink(fixture(), name);
        await page.goto(url);
        await page.getByRole('heading', { name: `Set up ${name}`, level: 1 }).waitFor();
        await page.getByRole('heading', { name: 'Create this record at your DNS provider' }).waitFor();
        await zoneLine(page, 'Add', 'CNAME').getByText(target).waitFor();
        await page.getByText(/^Checked .* · next check in \d+ s$/).waitFor();
        await page.getByText('This page is run by').waitFor();

        await expectNoToken(page, url);
        await page.reload();
        await zoneLine(page, 'Add', 'CNAME').getByText(target).waitFor();
        await page.getByText(/^Checked /).waitFor();

        const shift = await watchLayoutShift(page);
        await fixture().records.put({ name, type: 'CNAME', data: `${target}.` });
        await page.getByRole('heading', { name: `${name} is live` }).waitFor({ timeout: LIVE_TIMEOUT_MS });
        await page.getByRole('link', { name: `Visit ${name}` }).waitFor();
        await zoneLine(page, 'Keep', 'CNAME').getByText('Found').waitFor();
        const states = page.locator('[data-step]').evaluateAll((steps) => steps.map((step) => step.dataset['state']));
        expect(await states).toEqual(Array<string>(5).fill('done'));
        expect(await page.getByRole('status').innerText()).toBe(`${name}: Live`);
        expect(await shift()).toBeLessThanOrEqual(0.05);
        expect(await page.context().cookies()).toEqual([]);
        const [[, , looks] = []] = devices;
        expect(await findProblems(page, 'setup-live', looks ?? [], { isStrict: true })).toEqual([]);
      }));

    it('says within seconds that a member has ended the link', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        const domain = 'ended.example.com';
        const { url, id: setupLinkId } = await createLink(fixture(), domain);
        await page.goto(url);
        await page.getByRole('list', { name: 'DNS records' }).waitFor();
        const params = { path: { projectId: dev.projectId, domain, setupLinkId } };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}/setup-links/{setupLinkId}', { params });
        const ended = page.getByRole('heading', { name: 'This link has ended' });
        await ended.waitFor({ timeout: END_TIMEOUT_MS });
        await page.reload();
        await ended.waitFor();
      }));

    it('asks for the link where it has none, and opens another one in the same tab', () =>
      withPage(fixture(), async (page) => {
        const { url } = await createLink(fixture(), 'second-link.example.com');
        await page.goto(new URL('/setup', url).href);
        await page.getByText('This page needs the link that you were sent.').waitFor();
        await page.goto(`${new URL('/setup', url).href}#not-a-token`);
        await page.getByRole('heading', { name: 'This link has ended' }).waitFor();
        expect(await findViolations(page)).toEqual([]);
        await page.goto(url);
        await page.getByRole('heading', { name: 'Set up second-link.example.com' }).waitFor();
        await expectNoToken(page, url);
      }));

    it('waits where the API cannot be reached or has too many requests, and continues', () =>
      withPage(
        fixture(),
        async (page) => {
          const { url } = await createLink(fixture(), 'patience.example.com');
          let answers = 0;
          await page.route('**/v1/setup/sessions', async (route) => {
            answers += 1;
            if (answers === 1) return route.abort();
            const headers = { 'retry-after': '1' };
            return answers === 2 ? route.fulfill({ status: 429, headers, json: {} }) : route.continue();
          });
          await page.goto(url);
          await page.getByText('No connection.').filter({ visible: true }).first().waitFor();
          await page.getByText('Too many requests.').filter({ visible: true }).first().waitFor();
          await page.getByRole('list', { name: 'DNS records' }).waitFor();
        },
        { expectedErrors: /net::ERR_FAILED/ },
      ));

    it('opens the link again when its token is no longer valid', () =>
      withPage(fixture(), async (page) => {
        const { url } = await createLink(fixture(), 'reopened.example.com');
        let sessions = 0;
        page.on('request', (request) => void (request.url().endsWith('/sessions') && (sessions += 1)));
        await page.route('**/v1/setup/watch', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });
        await page.goto(url);
        await page.getByText(/^Checked /).waitFor();
        await waitUntil(() => Promise.resolve(sessions === 2), { message: 'another token' });
        await page.getByRole('list', { name: 'DNS records' }).waitFor();
      }));

    it('shows the names of a pair, and whose page it is', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        const body = {
          name: 'Acme <b>Corp</b>',
          color: '#1a5fb4',
          supportAddress: 'help@acme.example',
          returnOrigins: ['https://app.acme.example'],
        };
        await pets.PUT('/v1/setup-page', { body });
        const returnUrl = 'https://app.acme.example/done?x=1';
        const { url } = await createLink(fixture(), 'www.owner-pair.net', { pair: true, returnUrl });
        await page.goto(url);
        const names = page.getByRole('list', { name: 'Both names' });
        await names.getByText('owner-pair.net', { exact: true }).waitFor();
        expect(await names.getByText('Added, awaiting DNS').count()).toBe(2);
        await zoneLine(page, 'Add', 'CNAME').getByText('www', { exact: true }).waitFor();
        await zoneLine(page, 'Add', 'ALIAS or ANAME').getByText('@', { exact: true }).waitFor();
        await page.getByText('Acme <b>Corp</b>', { exact: true }).waitFor();
        const hrefOf = (link: string) => page.getByRole('link', { name: link }).getAttribute('href');
        expect(await hrefOf('help@acme.example')).toBe('mailto:help@acme.example');
        expect(await hrefOf('Back to app.acme.example')).toBe(returnUrl);
        expect(await page.title()).toBe('Set up www.owner-pair.net · Acme <b>Corp</b>');
        await pets.PUT('/v1/setup-page', {
          body: { name: null, color: null, supportAddress: null, returnOrigins: [] },
        });
        for (const domain of ['www.owner-pair.net', 'owner-pair.net'])
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', {
            params: { path: { projectId: dev.projectId, domain } },
          });
      }));

    it('shows the logo of whose page it is, which a member uploads and removes', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        const { url } = await createLink(fixture(), 'logo-owner.example.com');
        const upload = async (name: string, mimeType: string, buffer: Buffer) =>
          page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
        await signIn(page, `${dev.dashboardUrl}/setup-page`, dev.apiKey);
        await page.getByText('No logo.').waitFor();
        await upload('logo.svg', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
        await page.getByText('The file is an SVG. Send a PNG or a WebP.').waitFor();
        await upload('logo.png', 'image/png', Buffer.from(plainPng(320, 80, [26, 95, 180])));
        await page.getByRole('img', { name: 'Your logo' }).waitFor();
        await page.getByRole('textbox', { name: 'Name' }).fill('Acme');
        await page.getByRole('textbox', { name: 'Colour of buttons' }).fill('#ffcc00');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Must be darker: white text on it needs').waitFor();
        await page.getByRole('textbox', { name: 'Colour of buttons' }).fill('#1a5fb4');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('img', { name: 'Logo of Acme' }).waitFor();

        await page.goto(url);
        const logo = page.getByRole('img', { name: 'Acme', exact: true });
        await logo.waitFor();
        expect(
          await logo.evaluate((image) => (image as HTMLImageElement).decode().then(() => image.clientHeight)),
        ).toBe(40);
        expect(await findViolations(page)).toEqual([]);

        await page.goto(`${dev.dashboardUrl}/setup-page`);
        await page.getByRole('button', { name: 'Remove the logo' }).click();
        await page.getByText('No logo.').waitFor();
        await page.getByRole('textbox', { name: 'Name' }).fill('');
        await page.getByRole('textbox', { name: 'Colour of buttons' }).fill('');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('status').getByText('Set-up page changed.').waitFor();
      }));

    it('shows markup as text, and no link but to pages and addresses', () =>
      withPage(fixture(), async (page) => {
        const { url } = await createLink(fixture(), 'markup.example.com');
        await page.route(/\/v1\/setup(\/watch)?$/, async (route) => {
          const response = await route.fetch();
          const setup = (await response.json()) as Setup;
          await route.fulfill({ response, json: withMarkup(setup) });
        });
        await page.goto(url);
        const list = page.getByRole('list', { name: 'DNS records' });
        await list.getByText(MARKUP).first().waitFor();
        await page.locator('[data-issue]').getByText(MARKUP).first().waitFor();
        await page.getByRole('heading', { name: MARKUP, level: 1 }).waitFor();
        expect(await page.locator('img[src], script:not([src])').count()).toBe(0);
        const links = page
          .locator('a[href]')
          .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).protocol));
        expect((await links).filter((protocol) => protocol !== 'https:')).toEqual([]);
      }));

    it('copies values, and all steps as a text, in the words of the provider', () =>
      withPage(
        fixture(),
        async (page) => {
          const name = 'copied-owner.example.com';
          const { url, target } = await createLink(fixture(), name);
          const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
          await page.goto(url);
          const provider = page.getByRole('combobox', { name: 'Your DNS provider' });
          const chosen = page.evaluate(
            () =>
              new Promise((resolve) => {
                addEventListener('pets-setup-provider', (event) => resolve((event as CustomEvent<unknown>).detail));
              }),
          );
          await provider.selectOption('Amazon Route 53');
          expect(await chosen).toEqual({ provider: 'route53' });
          const fields = zoneLine(page, 'Add', 'CNAME').locator('dt');
          expect(await fields.allInnerTexts()).toEqual(['Record name', 'Record type', 'Value', 'TTL (seconds)']);
          await page.getByRole('button', { name: 'Copy Value (CNAME)' }).click();
          const copied = page.getByRole('button', { name: 'Value (CNAME) copied' });
          await copied.waitFor();
          expect(await clipboard()).toBe(target);
          expect(await copied.evaluate((button) => button.matches(':focus'))).toBe(true);
          await page.getByRole('button', { name: 'Send these steps' }).click();
          await page.getByRole('button', { name: 'Steps copied' }).waitFor();
          expect(await clipboard()).toContain(
            `  Record name: copied-owner\n  Record type: CNAME\n  Value: ${target}\n`,
          );
        },
        { permissions: ['clipboard-read', 'clipboard-write'] },
      ));

    it.each(devices)('is accessible and fits the screen of a %s, in every size and theme', (device, options, looks) =>
      withPage(
        fixture(),
        async (page) => {
          const name = `looks-of-a-${device}.example.com`;
          await fixture().records.put({ name, type: 'A', data: '203.0.113.7' });
          const { url } = await createLink(fixture(), name);
          const problems: string[] = [];
          await page.goto(new URL('/setup', url).href);
          await page.getByText('This page needs the link that you were sent.').waitFor();
          problems.push(...(await findProblems(page, 'setup-no-link', looks, { isStrict: true })));
          await page.goto(url);
          await page.locator('[data-issue=conflicting_a]').waitFor();
          problems.push(...(await findProblems(page, 'setup-blocked', looks, { isStrict: true })));
          expect(problems).toEqual([]);
        },
        options,
      ),
    );
  });

  describe('the element <pets-domain-setup> in a page', () => {
    it('reads the API of another origin with attributes alone', () =>
      withPage(
        fixture(),
        async (page) => {
          const name = 'other-origin.example.com';
          const { url } = await createLink(fixture(), name);
          const { origin, port, hash } = new URL(url);
          const other = origin.includes('localhost') ? `http://127.0.0.1:${port}` : `http://localhost:${port}`;
          await page.goto(`${other}/setup`);
          await page.getByText('This page needs the link that you were sent.').waitFor();
          await page.evaluate(
            ([api, token]) => {
              const element = document.createElement('pets-domain-setup');
              element.addEventListener('pets-setup-change', (event) => {
                element.title = JSON.stringify((event as CustomEvent<unknown>).detail);
              });
              element.setAttribute('api', api);
              element.setAttribute('token', token);
              document.querySelector('main')?.append(element);
            },
            [origin, hash.slice(1)] as const,
          );
          await page.getByTitle(JSON.stringify({ [name]: 'awaiting_dns' })).waitFor();
          await page.getByText(/^Checked /).waitFor();
        },
        // That of our own page lets it read its own origin alone.
        { bypassCSP: true },
      ));

    it('ticks off a record that is gone, and says until when resolvers may have copies', () =>
      withPage(fixture(), async (page) => {
        const name = 'ticked.example.com';
        const { url } = await createLink(fixture(), name);
        await page.goto(url);
        await page.getByText(/^Checked /).waitFor();
        const show = (change: { [Key in 'dns' | 'issues' | 'state']?: unknown }) =>
          page.evaluate((given) => {
            const source = document.querySelector('pets-domain-setup') as Element & { setup: { domains: object[] } };
            const shown = document.querySelector<HTMLElement & { setup: unknown }>('[data-shown]') ?? append();
            const [domain = {}] = source.setup.domains;
            shown.setup = { ...source.setup, domains: [{ ...domain, ...given }] };
            function append() {
              const element = document.createElement('pets-domain-setup') as HTMLElement & { setup: unknown };
              element.dataset['shown'] = '';
              document.querySelector('main')?.replaceChildren(source, element);
              return element;
            }
          }, change);
        const [type, value, checkedAt] = ['A', '203.0.113.7', new Date().toISOString()];
        const dns = { requestedAt: null, checkedAt, nextCheckAt: null, nameServers: [] };
        const observed = [{ type, name, value, ttl: 3600, resolver: '192.0.2.53:53' }];
        const line = page.locator('[data-shown] [data-action=delete]');
        await show({
          dns: { ...dns, observed, conflicts: [{ type, name, value, action: 'remove' }] },
          issues: [describeIssue('conflicting_a', { name, seen: [value], expected: 'target.example' })],
        });
        await line.getByText('Still there').waitFor();
        await show({ dns: { ...dns, observed: [], conflicts: [] }, issues: [] });
        await line.getByText('Gone', { exact: true }).waitFor();
        const former = [{ type, name, value, action: 'remove', ttl: 3600, goneAt: checkedAt }];
        await show({ dns: { ...dns, observed: [], conflicts: [], former }, issues: [], state: 'live' });
        await page.getByText('Resolvers may have copies of the old records until').waitFor();
        expect(await line.count()).toBe(0);
      }));

    it('ignores what does not parse, and shows what a page gives it', () =>
      withPage(fixture(), async (page) => {
        const { url } = await createLink(fixture(), 'embedded.example.com');
        await page.goto(url);
        await page.getByRole('list', { name: 'DNS records' }).waitFor();
        const seen = await page.evaluate(() => {
          const source = document.querySelector('pets-domain-setup') as Element & { setup: { domains: object[] } };
          const element = document.createElement('pets-domain-setup') as Element as typeof source &
            Record<string, unknown>;
          const events: unknown[] = [];
          for (const type of ['pets-setup-change', 'pets-setup-live'])
            element.addEventListener(type, (event) => events.push([type, (event as CustomEvent<unknown>).detail]));
          const hostile = new Proxy(
            {},
            {
              get: () => {
                throw new Error('hostile');
              },
            },
          );
          const values = [null, 7, '', [], {}, { domains: [{}] }, { domains: 'x' }, hostile, () => {}, Symbol('x')];
          for (const value of values)
            for (const property of ['setup', 'texts', 'api', 'token']) element[property] = value;
          document.querySelector('main')?.append(element);
          const before = element.shadowRoot?.textContent;
          const [domain] = source.setup.domains;
          element['texts'] = { next: { live: (name: string) => `${name} läuft`, certificate: 7 }, visit: 'Öffnen' };
          element['setup'] = {
            ...source.setup,
            domains: [{ ...domain, state: 'live', verifiedAt: source.setup.domains, liveAt: null, issues: [] }],
          };
          const between = element.shadowRoot?.textContent;
          element['setup'] = { ...source.setup, domains: [{ ...domain, state: 'live', issues: [] }] };
          return { before, between, after: element.shadowRoot?.querySelector('h2')?.textContent, events };
        });
        expect(seen.between).toBe(seen.before);
        expect(seen.after).toBe('embedded.example.com läuft');
        const states = { 'embedded.example.com': 'live' };
        expect(seen.events).toEqual([
          ['pets-setup-change', states],
          ['pets-setup-live', states],
        ]);
        await page.getByRole('link', { name: 'Öffnen embedded.example.com' }).waitFor();
      }));
  });
}

const MARKUP = '<img src=x onerror=alert(1)>';

function withMarkup(setup: Setup): Setup {
  return {
    ...setup,
    name: MARKUP,
    color: 'url(https://example.com/)',
    supportAddress: 'https://example.com/<script>',
    logo: { url: 'https://example.com/setup/logos/x.webp', width: 1, height: 1 },
    returnUrl: 'javascript:alert(1)',
    domains: setup.domains.map((domain) => ({
      ...domain,
      unicodeName: MARKUP,
      records: domain.records.map((record) => ({ ...record, value: MARKUP })),
      issues: domain.issues.map((issue) => ({ ...issue, code: 'conflicting_a', cause: MARKUP })),
    })),
  };
}

/** Neither the address, the history nor a storage that outlives the tab has the token of the link. */
async function expectNoToken(page: Page, url: string): Promise<void> {
  const token = new URL(url).hash.slice(1);
  expect(page.url()).toBe(new URL('/setup', url).href);
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state]));
  expect(kept).not.toContain(token);
  expect(kept).toContain('setup.');
}
