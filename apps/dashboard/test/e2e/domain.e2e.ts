import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addDomain, openDomains, readTarget, unfold, untilChecked, withPage, zoneLine } from '../with-page.js';
import { watchLayoutShift } from '../layout-shift.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const SITE = 'site.example.com';

/** Takes seconds, or longer on a loaded machine. */
const LIVE_TIMEOUT_MS = 60_000;

export function describeDomains(fixture: () => DashboardFixture): void {
  describe('the page of a domain', () => {
    it('shows the progress to live without a reload, and removes the domain', () =>
      withPage(fixture(), async (page) => {
        const { records } = fixture();
        await openDomains(page, fixture());
        await addDomain(page, SITE);
        await page.getByText('Added, awaiting DNS').waitFor();
        await page.locator('[data-step=dns]').getByText('Waiting for your record').waitFor();
        await untilChecked(page);
        const shift = await watchLayoutShift(page);
        await records.put({ name: SITE, type: 'CNAME', data: `${await readTarget(page)}.` });
        await page.getByRole('button', { name: 'Verify DNS' }).click();

        await waitForLive(page);
        const states = page.locator('[data-step]').evaluateAll((steps) => steps.map((step) => step.dataset['state']));
        expect(await states).toEqual(Array<string>(5).fill('done'));
        await page.getByRole('heading', { name: `${SITE} is live` }).waitFor();
        await page.getByRole('link', { name: `Visit ${SITE}` }).waitFor();
        await zoneLine(page, 'Keep', 'CNAME').getByText('Found').waitFor();
        expect(await shift()).toBeLessThanOrEqual(0.05);
        await unfold(page, 'Certificate');
        await page.getByText(/^Pets Development/).waitFor();
        await unfold(page, 'History');
        await page.getByText('added: waiting for its DNS record').waitFor();
        expect(await page.locator('[data-step=certificate]').innerText()).toMatch(/took [\d.]+ s/);
        expect(await page.locator('pets-domain-setup').getByRole('status').innerText()).toBe(`${SITE}: Live`);

        await remove(page, SITE);
        await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
        await page.getByRole('link', { name: SITE }).waitFor({ state: 'detached' });
      }));

    it('lists domains that another client adds and removes, without a reload', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        await openDomains(page, fixture());
        const path = { projectId: dev.projectId };
        const name = 'elsewhere.example.com';
        await page.getByText('No custom domains yet.').or(page.getByRole('row')).first().waitFor();
        await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
        await page.getByRole('link', { name }).waitFor();
        const params = { path: { ...path, domain: name } };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params });
        await page.getByRole('link', { name }).waitFor({ state: 'detached' });
      }));
  });

  describe('a removal that an edge has not confirmed', () => {
    it('is shown as pending until the edge confirms it', () =>
      withPage(fixture(), async (page) => {
        const { stack, records } = fixture();
        const name = 'stuck.example.com';
        await openDomains(page, fixture());
        await addDomain(page, name);
        await records.put({ name, type: 'CNAME', data: `${await readTarget(page)}.` });
        await page.getByRole('button', { name: 'Verify DNS' }).click();
        await waitForLive(page);
        const edge = stack.pidOf('edge');
        process.kill(edge, 'SIGSTOP');
        try {
          const answer = page.waitForResponse((response) => response.request().method() === 'DELETE');
          await remove(page, name);
          expect((await answer).status()).toBe(202);
          await page
            .getByText('Removed, but 1 server has not confirmed and may still serve the domain.')
            .last()
            .waitFor();
          await page.getByText('Removed. The domain no longer serves any traffic.').waitFor({ state: 'detached' });
        } finally {
          process.kill(edge, 'SIGCONT');
        }
        await page.getByText('Removed. The domain no longer serves any traffic.').waitFor({ timeout: LIVE_TIMEOUT_MS });
      }));
  });

  describe('a domain that is live elsewhere', () => {
    it('shows the optional record, and says when the DNS can be switched', () =>
      withPage(fixture(), async (page) => {
        const { records } = fixture();
        const name = 'moving.example.com';
        await records.put({ name, type: 'A', data: '203.0.113.7' });
        await openDomains(page, fixture());
        await addDomain(page, name);
        await page.locator('[data-readiness=waiting] summary').click();
        const record = page.getByRole('list', { name: 'Switch without an interruption' });
        const target = await record.locator('[data-field=value] .value').innerText();
        await records.put({ name: `_acme-challenge.${name}`, type: 'CNAME', data: `${target}.` });
        await page.getByRole('button', { name: 'Verify DNS' }).click();
        await page.locator('[data-readiness=ready]').waitFor({ timeout: LIVE_TIMEOUT_MS });
        await page.getByText('You can switch the DNS record now').waitFor();
        await unfold(page, 'Certificate');
        await page.getByText('DNS-01', { exact: true }).waitFor();
      }));
  });

  describe('an issue of a domain', () => {
    it('names a conflicting A record, and the troubleshooting text', () =>
      withPage(fixture(), async (page) => {
        const name = 'blocked.example.com';
        await fixture().records.put({ name, type: 'A', data: '203.0.113.7' });
        await openDomains(page, fixture());
        await addDomain(page, name);
        const issue = page.locator('[data-issue=conflicting_a]');
        await issue.waitFor();
        expect(await issue.innerText()).toBe(`${name} has A records where its CNAME should be.`);
        await page.getByRole('heading', { name: 'Change these records at your DNS provider' }).waitFor();
        await zoneLine(page, 'Delete', 'A').getByText('203.0.113.7').waitFor();
        await zoneLine(page, 'Add', 'CNAME').getByText('Not found yet').waitFor();
        // Every value is shown once: to be copied.
        const target = await readTarget(page);
        for (const value of [target, '203.0.113.7'])
          expect(await page.getByText(value).filter({ visible: true }).count()).toBe(1);
        await page.setViewportSize({ width: 1440, height: 900 });
        const card = await page.locator('[data-next]').boundingBox();
        expect((card?.y ?? 0) + (card?.height ?? Infinity)).toBeLessThan(900);
        await page.locator('[data-step=dns][data-state=blocked]').waitFor();
        await unfold(page, 'Troubleshooting');
        await page.getByText('Verification keeps failing').click();
        await page.getByText('an existing A record blocks the CNAME').waitFor();
      }));

    it('names the CAA record that would permit issuance, and Re-verify certificate retries', () =>
      withPage(fixture(), async (page) => {
        const { records } = fixture();
        const name = 'caa.example.com';
        await records.put({ name, type: 'CAA', data: '0 issue "other-ca.example"' });
        await openDomains(page, fixture());
        await addDomain(page, name);
        const target = await readTarget(page);
        await records.remove(name);
        await records.put({ name, type: 'CNAME', data: `${target}.` });
        await records.put({ name: target, type: 'CAA', data: '0 issue "other-ca.example"' });
        await page.getByRole('button', { name: 'Verify DNS' }).click();
        const issue = page.locator('[data-issue=caa_forbids]');
        await issue.waitFor({ timeout: LIVE_TIMEOUT_MS });
        const fields = zoneLine(page, 'Add', 'CAA').locator('dd');
        expect(await fields.allInnerTexts()).toEqual([
          'CAA',
          expect.any(String),
          '0',
          'issue',
          expect.stringMatching(/^dev-ca\.test/),
          '3600',
        ]);
        await unfold(page, 'Troubleshooting');
        await page.getByText('SSL certificate not provisioning after 30 minutes').waitFor();

        await records.remove(target);
        await page.getByRole('button', { name: 'Re-verify certificate' }).click();
        await waitForLive(page);
      }));
  });
}

async function waitForLive(page: Page): Promise<void> {
  await page.locator('[data-step=live][data-state=done]').waitFor({ timeout: LIVE_TIMEOUT_MS });
}

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click();
}
