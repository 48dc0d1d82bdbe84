import { describe, expect, it } from '@jest/globals';
import { withPage, signIn } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const HOSTILE = `<img src=x onerror="document.title='broken into'">`;

export function describeStore(fixture: () => DashboardFixture): void {
  describe('the store', () => {
    it('shows the name of an animal as text, and its IDs with every digit', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/animals`, dev.apiKey);
        await page.getByRole('button', { name: 'Add animal' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
        await dialog.getByRole('textbox', { name: 'Category ID' }).fill('12.5');
        await dialog.getByRole('button', { name: 'Add animal' }).click();
        await dialog.getByText('Enter a 64-bit integer.').waitFor();
        await dialog.getByRole('textbox', { name: 'Category ID' }).fill('9007199254740993');
        await dialog.getByRole('button', { name: 'Add animal' }).click();
        const row = page.getByRole('row').filter({ hasText: HOSTILE });
        await row.waitFor();
        expect(await row.getByRole('cell').nth(2).innerText()).toBe('9007199254740993');
        expect(await page.locator('main img').count()).toBe(0);
        expect(await page.title()).toBe('Animals – Pets');
      }));

    it('lists animals page by page, filtered by status', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        for (let number = 1; number <= 24; number++)
          await pets.POST('/v1/pets', { body: { name: `Pager ${number}`, categoryId: 4, status: 'sold' } });
        await signIn(page, `${dev.dashboardUrl}/animals`, dev.apiKey);
        await page.getByLabel('Status').selectOption('sold');
        await page.getByText('Pager 5', { exact: true }).waitFor();
        expect(await page.getByRole('row').count()).toBe(1 + 20);
        await page.getByRole('button', { name: 'Show more' }).click();
        await page.getByText('Pager 1', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });

        await page.getByLabel('Sort', { exact: true }).selectOption('Oldest first');
        // The list before stays until the new one is there.
        await page.getByText('Pager 24', { exact: true }).waitFor({ state: 'detached' });
        await page.getByText('Pager 20', { exact: true }).waitFor();
        await page.getByLabel('Search').fill('pager 24');
        await page.getByText('Pager 24', { exact: true }).waitFor();
        await page.getByText('Pager 20', { exact: true }).waitFor({ state: 'detached' });
        await page.getByLabel('Search').fill('nobody');
        await page.getByText('No matching animals').waitFor();
      }));

    it('places an order for an animal chosen by name, with the keyboard; shows why it is refused; cancels after asking', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const add = (name: string) => pets.POST('/v1/pets', { body: { name, categoryId: 1, status: 'available' } });
        await add('Orderly');
        const { data: taken } = await add('Taken meanwhile');
        await signIn(page, `${dev.dashboardUrl}/orders`, dev.apiKey);
        const dialog = page.getByRole('dialog');
        const picker = dialog.getByRole('combobox', { name: 'Animal' });
        await page.getByRole('button', { name: 'Place order' }).first().click();
        await picker.fill('taken mean');
        await dialog.getByRole('option', { name: 'Taken meanwhile' }).waitFor();
        await page.keyboard.press('Enter');
        await pets.POST('/v1/store/orders', { body: { petId: taken?.id ?? 0, quantity: 1 } });
        await dialog.getByRole('button', { name: 'Place order' }).click();
        await dialog.getByRole('alert').getByText('The animal is pending').waitFor();

        await picker.fill('order');
        await dialog.getByRole('option', { name: 'Orderly' }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'detached' });
        await page
          .getByRole('status')
          .getByText(/^Order \d+ placed\.$/)
          .waitFor();

        const row = page.getByRole('row').filter({ hasText: 'Orderly' });
        await row.getByRole('button', { name: 'Cancel order' }).click();
        await dialog.getByText('This cannot be undone.').waitFor();
        await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
        await row.getByRole('button', { name: 'Fulfill' }).click();
        await row.getByText('Fulfilled').waitFor();
        await page.getByLabel('Search').fill('taken');
        await page.getByRole('row').filter({ hasText: 'Taken meanwhile' }).waitFor();
        await row.waitFor({ state: 'detached' });
      }));
  });
}
