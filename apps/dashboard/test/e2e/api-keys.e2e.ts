import { describe, expect, it } from '@jest/globals';
import { describedText, signIn, withPage } from '../with-page.js';
import { openPets, type DashboardFixture } from '../dashboard-fixture.js';

export function describeApiKeys(fixture: () => DashboardFixture): void {
  describe('API keys', () => {
    it('are created with the selected scopes, shown once, and revoked', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/api-keys`, dev.apiKey);
        await page.getByRole('button', { name: 'Create API key' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Reader');
        await dialog.getByRole('checkbox', { name: 'pets:read' }).check();
        const existing = dialog.getByLabel('Existing API key');
        await existing.fill('pets_test_nonsense');
        await page.keyboard.press('Enter');
        await dialog.getByText('The API key is not valid.').waitFor();
        expect(await describedText(existing)).toContain('The API key is not valid.');
        expect(await existing.getAttribute('aria-invalid')).toBe('true');
        await existing.fill(dev.apiKey);
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
}
