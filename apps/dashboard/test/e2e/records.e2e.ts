import { describe, expect, it } from '@jest/globals';
import { addDomain, asVisitor, openDomains, readTarget } from '../visitor.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** The records to create: copied by a button, explained in the words of whoever runs the zone. */
export function tellRecordsStory(fixture: () => DashboardFixture): void {
  describe('the records to create', () => {
    it('are copied by a button, which says so', () =>
      asVisitor(
        fixture(),
        async (page) => {
          await openDomains(page, fixture());
          await addDomain(page, 'copied.example.com');
          const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
          await page.getByRole('button', { name: 'Copy Value (CNAME)' }).click();
          await page.getByRole('status').getByText('Value (CNAME) copied').waitFor();
          expect(await clipboard()).toBe(await readTarget(page));
          await page.getByRole('button', { name: 'Copy Name (CNAME)' }).click();
          await page.getByRole('status').getByText('Name (CNAME) copied').waitFor();
          expect(await clipboard()).toBe('copied');
        },
        { permissions: ['clipboard-read', 'clipboard-write'] },
      ));

    it('of an apex are two, since an address does not say whose the name is', () =>
      asVisitor(fixture(), async (page) => {
        await openDomains(page, fixture());
        await addDomain(page, 'story-of-an-apex.net');
        const rows = page.getByRole('region', { name: 'DNS records to create' }).getByRole('row');
        await page.getByRole('button', { name: 'Copy Value (TXT)' }).waitFor();
        const texts = await rows.allInnerTexts();
        expect(texts.slice(1).map((text) => text.split(/\s+/).slice(0, 2))).toEqual([
          ['ALIAS', '@'],
          ['TXT', '_platform-challenge'],
        ]);
        await page.getByText('The TXT record proves that you own the domain.').waitFor();
      }));

    it('are explained for the provider whose name servers the zone has, until one chooses another', () =>
      asVisitor(fixture(), async (page) => {
        const zone = 'story-of-name-servers.net';
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
