import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { withPage, refreshUntil, signIn } from '../with-page.js';
import { openPets, type DashboardFixture } from '../dashboard-fixture.js';

export function describeKeysAndWebhooks(fixture: () => DashboardFixture): void {
  describe('API keys', () => {
    it('are created with the selected scopes, shown once, and revoked', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/api-keys`, dev.apiKey);
        await page.getByRole('button', { name: 'Create API key' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Reader');
        await dialog.getByRole('checkbox', { name: 'pets:read' }).check();
        await dialog.getByLabel('Existing API key').fill(dev.apiKey);
        await dialog.getByRole('button', { name: 'Create API key' }).click();
        const secret = await page.locator('[data-secret]').inputValue();
        // Only its button closes the dialog: the key is not shown again.
        await page.waitForFunction(() => document.activeElement?.textContent === 'Copy');
        await page.keyboard.press('Escape');
        await page.mouse.click(5, 300);
        expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
        expect(await page.locator('[data-secret]').inputValue()).toBe(secret);
        const statuses = async () => {
          const reader = openPets(dev.apiUrl, secret);
          return [(await reader.GET('/v1/pets')).response.status, (await reader.GET('/v1/projects')).response.status];
        };
        expect(await statuses()).toEqual([200, 403]);
        await dialog.getByRole('button', { name: 'I have saved this key' }).click();

        const card = page.getByRole('row').filter({ hasText: 'Reader' });
        await card.getByText('pets:read').waitFor();
        expect(await page.getByText(secret).count()).toBe(0);
        await card.getByRole('button', { name: 'Revoke' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await card.getByText('Revoked').waitFor();
        await page.getByRole('status').getByText('Reader revoked.').waitFor();
        // The API caches a valid key for one second.
        await page.waitForTimeout(1_100);
        expect(await statuses()).toEqual([401, 401]);
      }));
  });

  describe('webhooks', () => {
    it('receive a test event, show its delivery, and resend it', async () => {
      const { url, ids, close } = await startReceiver();
      try {
        await withPage(fixture(), async (page) => {
          const { dev } = fixture();
          await signIn(page, `${dev.dashboardUrl}/webhooks`, dev.apiKey);
          await page.getByRole('button', { name: 'Create endpoint' }).click();
          const dialog = page.getByRole('dialog');
          await dialog.getByRole('textbox', { name: 'URL' }).fill(url);
          await dialog.getByRole('button', { name: 'Create endpoint' }).click();
          expect(await page.locator('[data-secret]').inputValue()).toMatch(/^whsec_/);
          await dialog.getByRole('button', { name: 'I have saved this secret' }).click();
          await page.getByRole('button', { name: `More actions for ${url}` }).click();
          await page.getByRole('menuitem', { name: 'Send test event' }).click();
          await page.getByRole('status').getByText('Test event queued.').waitFor();

          await page.getByRole('link', { name: url }).click();
          const card = page.getByRole('listitem').filter({ hasText: 'endpoint.test' }).first();
          await card.waitFor();
          await refreshUntil(page, () => card.getByText('Delivered', { exact: true }).count());
          await card.getByRole('button', { name: 'Resend' }).click();
          await refreshUntil(page, () => card.getByText('2 attempts').count());
          expect(new Set(ids).size).toBe(1);
          expect(ids).toHaveLength(2);
        });
      } finally {
        await close();
      }
    }, 60_000);
  });
}

/** Receives webhooks and records their IDs. */
async function startReceiver() {
  const ids: unknown[] = [];
  const server: Server = createServer((request, response) => {
    ids.push(request.headers['webhook-id']);
    request.resume().on('end', () => response.end('thanks'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/hooks`,
    ids,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
