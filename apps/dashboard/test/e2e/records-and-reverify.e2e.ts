import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { addDomain, openDomains, readTarget, withPage } from '../with-page.js';
import { type DashboardFixture, findChild } from '../dashboard-fixture.js';

/** After a timeout of the certificate authority, the next attempt starts a minute later. */
const LIVE_TIMEOUT_MS = 90_000;

export function describeReverify(fixture: () => DashboardFixture): void {
  describe('Re-verify certificate while an attempt is running', () => {
    it(
      'is not offered yet, but when it will be, and the domain still goes live',
      () =>
        withPage(fixture(), async (page) => {
          const { stack, records } = fixture();
          const name = 'early.example.com';
          await openDomains(page, fixture());
          await addDomain(page, name);
          const ca = await findChild(stack.pid, 'dev-ca/main.js');
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
        }),
      150_000,
    );
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
        const rows = page.getByRole('region', { name: 'DNS records to create' }).getByRole('row');
        await page.getByRole('button', { name: 'Copy Value (TXT)' }).waitFor();
        const texts = await rows.allInnerTexts();
        expect(texts.slice(1).map((text) => text.split(/\s+/).slice(0, 2))).toEqual([
          ['ALIAS', '@'],
          ['TXT', '_platform-challenge'],
        ]);
        await page.getByText('The TXT record proves that you own the domain.').waitFor();
      }));

    it('are explained for the detected DNS provider, or the one that the user selects', () =>
      withPage(fixture(), async (page) => {
        const zone = 'name-servers-example.net';
        for (const server of ['ada', 'bob'])
          await fixture().records.put({ name: zone, type: 'NS', data: `${server}.ns.cloudflare.com.` });
        await openDomains(page, fixture());
        await addDomain(page, `docs.${zone}`);
        await page.getByText('Your name servers are hosted by Cloudflare').waitFor();
        await page.getByText('ada.ns.cloudflare.com, bob.ns.cloudflare.com').waitFor();
        const provider = page.getByRole('combobox', { name: 'Your DNS provider' });
        expect(await provider.inputValue()).toBe('cloudflare');
        await page.getByText('Set Proxy status to “DNS only”').waitFor();

        await provider.selectOption('Gandi');
        await page.getByText('End the hostname with a dot').waitFor();
      }));
  });
}
