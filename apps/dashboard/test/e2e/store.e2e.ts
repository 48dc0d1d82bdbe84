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
        await page.getByRole('button', { name: 'Add animal' }).click();
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

    it(
      'lists animals page by page, filtered by status',
      () =>
        withPage(fixture(), async (page) => {
          const { dev, pets } = fixture();
          for (let number = 1; number <= 24; number++)
            await pets.POST('/v1/pets', { body: { name: `Pager ${number}`, categoryId: 4, status: 'sold' } });
          await signIn(page, `${dev.dashboardUrl}/animals`, dev.apiKey);
          await page.getByLabel('Status').selectOption('sold');
          await page.getByText('Pager 20', { exact: true }).waitFor();
          expect(await page.getByRole('row').count()).toBe(1 + 20);
          await page.getByRole('button', { name: 'Show more' }).click();
          await page.getByText('Pager 24', { exact: true }).waitFor();
          await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
        }),
      60_000,
    );

    it(
      'places an order for an available animal, and shows why another is refused',
      () =>
        withPage(fixture(), async (page) => {
          const { dev, pets } = fixture();
          const { data: animal } = await pets.POST('/v1/pets', {
            body: { name: 'Orderly', categoryId: 1, status: 'available' },
          });
          const id = String(animal?.id);
          await signIn(page, `${dev.dashboardUrl}/orders`, dev.apiKey);
          const order = async () => {
            await page.getByRole('button', { name: 'Place order' }).click();
            await page.getByRole('dialog').getByRole('textbox', { name: 'Animal ID' }).fill(id);
            await page.getByRole('dialog').getByRole('button', { name: 'Place order' }).click();
          };
          await order();
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          const card = page.getByRole('listitem').filter({ hasText: id });
          await card.getByText('Placed').waitFor();
          await order();
          await page.getByRole('dialog').getByRole('alert').getByText('The animal is pending').waitFor();
          await page.keyboard.press('Escape');
          await card.getByRole('button', { name: 'Fulfil' }).click();
          await card.getByText('Fulfilled').waitFor();
        }),
      60_000,
    );
  });
}
