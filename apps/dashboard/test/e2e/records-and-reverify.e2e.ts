import { describe, expect, it } from '@jest/globals';
import type { Domain, RequiredRecord } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import type { Page } from 'playwright-core';
import { findSeriousViolations } from '../serious-violations.js';
import { findSmallTargets } from '../small-targets.js';
import { addDomain, domainsUrl, openDomains, readTarget, signIn, withPage, zoneLine } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** After a timeout of the certificate authority, the next attempt starts a minute later. */
const LIVE_TIMEOUT_MS = 90_000;

export function describeReverify(fixture: () => DashboardFixture): void {
  describe('Re-verify certificate while an attempt is running', () => {
    it('is not offered yet, but when it will be, and the domain still goes live', () =>
      withPage(fixture(), async (page) => {
        const { stack, records } = fixture();
        const name = 'early.example.com';
        await openDomains(page, fixture());
        await addDomain(page, name);
        const ca = stack.pidOf('dev-ca');
        // The certificate authority is slow.
        process.kill(ca, 'SIGSTOP');
        try {
          await records.put({ name, type: 'CNAME', data: `${await readTarget(page)}.` });
          await page.getByRole('button', { name: 'Verify DNS' }).click();
          const countdown = page.getByText(/^Re-verify certificate is available in (?:29|30):\d\d,/);
          const first = await countdown.innerText();
          await waitUntil(async () => (await countdown.innerText()) !== first, {
            message: 'the countdown to change',
          });
          expect(await page.getByRole('button', { name: 'Re-verify certificate' }).count()).toBe(0);
        } finally {
          process.kill(ca, 'SIGCONT');
        }
        await page.locator('[data-step=live][data-state=done]').waitFor({ timeout: LIVE_TIMEOUT_MS });
        expect(await page.getByRole('button', { name: 'Re-verify certificate' }).count()).toBe(0);
      }));
  });
}

export function describeRecords(fixture: () => DashboardFixture): void {
  describe('the records to create', () => {
    it('are copied by a button, which announces it', () =>
      withPage(
        fixture(),
        async (page) => {
          await openDomains(page, fixture());
          await addDomain(page, 'copied.example.com');
          const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
          await page.getByRole('button', { name: 'Copy Value (CNAME)' }).click();
          await page.getByRole('status').getByText('Value (CNAME) copied').waitFor();
          await page.getByRole('button', { name: 'Value (CNAME) copied' }).getByText('Copied').waitFor();
          await page.getByRole('button', { name: 'Copy Value (CNAME)' }).getByText('Copy', { exact: true }).waitFor();
          expect(await clipboard()).toBe(await readTarget(page));
          await page.getByRole('button', { name: 'Copy Name (CNAME)' }).click();
          await page.getByRole('status').getByText('Name (CNAME) copied').waitFor();
          expect(await clipboard()).toBe('copied');
        },
        { permissions: ['clipboard-read', 'clipboard-write'] },
      ));

    it('of an apex include a TXT record that proves ownership', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await addDomain(page, 'apex-example.net');
        await page.getByRole('heading', { name: 'Create these records at your DNS provider' }).waitFor();
        await zoneLine(page, 'Add', 'ALIAS or ANAME').getByText('@', { exact: true }).waitFor();
        await zoneLine(page, 'Add', 'TXT').getByText('_platform-challenge').waitFor();
        await page.getByText('The TXT record proves that you own the domain.').waitFor();
      }));

    it.each([
      ['on a desktop', 'apex-desktop.net', { viewport: { width: 1440, height: 900 } }],
      ['on a tablet', 'apex-tablet.net', { viewport: { width: 700, height: 900 } }],
      ['on a phone', 'apex-phone.net', { viewport: { width: 390, height: 740 }, hasTouch: true, isMobile: true }],
    ])('of an apex have our addresses below the ALIAS, to copy, %s', (_case, name, look) =>
      withPage(
        fixture(),
        async (page) => {
          await answerWithAddresses(page, name);
          await openDomains(page, fixture());
          await addDomain(page, name);
          const records = page.locator('[data-next]');
          await records.getByText('Or, instead of the ALIAS or ANAME record, all 3 records:').waitFor();
          const addresses = records.locator('[data-alternative]');
          expect(await addresses.locator('[data-field=type] dd').allInnerTexts()).toEqual(
            alternatives.map(({ type }) => type),
          );
          await records.getByRole('button', { name: 'Copy Value (AAAA 2001:db8::7)' }).click();
          expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('2001:db8::7');
          await records.getByText('It is required with the addresses as well').waitFor();

          const provider = page.getByRole('combobox', { name: 'Your DNS provider' });
          await provider.selectOption('GoDaddy');
          await records.getByText('This provider has no ALIAS record: add all 3 records.').waitFor();
          expect(await records.getByText('cannot point an apex').count()).toBe(0);
          await provider.selectOption('Namecheap');
          await zoneLine(page, 'Add', 'ALIAS').getByText('Host', { exact: true }).waitFor();

          const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          expect(isWide).toBe(false);
          expect(await findSeriousViolations(page)).toEqual([]);
          if (look.viewport.width < 500) expect(await findSmallTargets(page)).toEqual([]);
        },
        { ...look, permissions: ['clipboard-read', 'clipboard-write'] },
      ),
    );

    it('of an apex that no record can lead here give way to its www name, which is one click away', () =>
      withPage(fixture(), async (page) => {
        const apex = 'forwarded-apex.net';
        await openDomains(page, fixture());
        await addDomain(page, apex);
        await page.getByRole('combobox', { name: 'Your DNS provider' }).selectOption('GoDaddy');
        await page.getByText('GoDaddy cannot point an apex to a host name.').waitFor();
        await page.getByText(`Or use www.${apex}, which whoever runs the site has to add`).waitFor();
        await page.getByRole('button', { name: `Use www.${apex} and forward the apex` }).click();
        const dialog = page.getByRole('dialog', { name: `Use www.${apex} instead?` });
        await dialog.getByText(`Visitors of https://${apex} get a certificate error unless GoDaddy`).waitFor();
        expect(await findSeriousViolations(page)).toEqual([]);
        await dialog.getByRole('button', { name: `Add www.${apex}` }).click();
        await page.getByRole('heading', { name: `www.${apex}`, level: 1 }).waitFor();
        await zoneLine(page, 'Add', 'CNAME').getByText('www', { exact: true }).waitFor();
        await page.getByRole('combobox', { name: 'Your DNS provider' }).selectOption('GoDaddy');
        await page.getByText(`Or create only the record of www.${apex}, and forward ${apex}`).waitFor();
        expect(await page.getByRole('button', { name: 'and forward the apex' }).count()).toBe(0);
      }));

    it('are explained for the detected DNS provider, or the one that the user selects', () =>
      withPage(fixture(), async (page) => {
        const zone = 'name-servers-example.net';
        for (const server of ['ada', 'bob'])
          await fixture().records.put({ name: zone, type: 'NS', data: `${server}.ns.cloudflare.com.` });
        await openDomains(page, fixture());
        await addDomain(page, `docs.${zone}`);
        await page.getByText(`The name servers of ${zone} belong to Cloudflare.`).waitFor();
        const fields = zoneLine(page, 'Add', 'CNAME').locator('dt');
        expect(await fields.allInnerTexts()).toEqual(['Type', 'Name', 'Target', 'TTL', 'Proxy status']);
        expect(await page.getByRole('link', { name: 'Open Cloudflare' }).getAttribute('href')).toMatch(/^https:/);
        const provider = page.getByRole('combobox', { name: 'Your DNS provider' });
        expect(await provider.inputValue()).toBe('cloudflare');
        await page.getByText('Set Proxy status to “DNS only”').waitFor();

        await provider.selectOption('Gandi');
        await page.getByText('Keep the dot at the end of a host name').waitFor();
        expect(await readTarget(page)).toMatch(/\.$/);
      }));

    it('are those of both names of a pair', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        const body = { name: 'www.pair-example.net', pair: true };
        const params = { path: { projectId: dev.projectId } };
        const { data } = await pets.POST('/v1/projects/{projectId}/domains', { params, body });
        await signIn(page, `${domainsUrl(dev)}/${data?.id ?? ''}`, dev.apiKey);
        const names = page.getByRole('list', { name: 'Both names' });
        await page.getByRole('link', { name: 'pair-example.net', exact: true }).waitFor();
        expect(await names.getByText('Added, awaiting DNS').count()).toBe(2);
        await page.getByText('Redirects to www.pair-example.net').waitFor();
        await page.getByRole('button', { name: 'Swap roles' }).click();
        await page.getByText('Redirects to pair-example.net').waitFor();
        await zoneLine(page, 'Add', 'CNAME').getByText('www', { exact: true }).waitFor();
        await zoneLine(page, 'Add', 'ALIAS or ANAME').getByText('@', { exact: true }).waitFor();
        for (const domain of ['www.pair-example.net', 'pair-example.net'])
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', {
            params: { path: { ...params.path, domain } },
          });
      }));

    it('have a change where the zone was entered twice', () =>
      withPage(fixture(), async (page) => {
        const name = 'www.twice-example.net';
        await openDomains(page, fixture());
        await addDomain(page, name);
        const data = `${await readTarget(page)}.`;
        await fixture().records.put({ name: `${name}.twice-example.net`, type: 'CNAME', data });
        await page.getByRole('button', { name: 'Verify DNS' }).click();
        await page.getByText('Awaiting DNS · name entered twice', { exact: true }).waitFor();
        const line = zoneLine(page, 'Change', 'CNAME');
        await line.getByText(name, { exact: true }).waitFor();
        await line.getByRole('button', { name: 'Copy Name (CNAME)' }).waitFor();
        expect(await page.getByText('Switch without an interruption').count()).toBe(0);
      }));
  });
}

/** Documentation addresses (RFC 5737, RFC 3849). */
const alternatives: NonNullable<RequiredRecord['alternatives']> = [
  { type: 'A', name: '@', value: '203.0.113.7', ttl: 3600 },
  { type: 'A', name: '@', value: '203.0.113.8', ttl: 3600 },
  { type: 'AAAA', name: '@', value: '2001:db8::7', ttl: 3600 },
];

/** Adds public addresses to the ALIAS that the API answers, as of an operator who has listed some. */
async function answerWithAddresses(page: Page, name: string): Promise<void> {
  await page.route(/\/v1\/projects\/[^/]+\/domains\/[\w.-]+(\?|$)/, async (route) => {
    const response = await route.fetch();
    const domain = (await response.json()) as Domain;
    if (domain.name !== name) return route.fulfill({ response });
    const records = domain.records.map((record) => (record.type === 'ALIAS' ? { ...record, alternatives } : record));
    return route.fulfill({ response, json: { ...domain, records } });
  });
}
