import { expect, it } from '@jest/globals';
import { createPetsClient } from '@pets/client';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { findSeriousViolations } from '../serious-violations.js';
import { signIn, signInAsPerson, withPage } from '../with-page.js';

export function describePeople(fixture: () => DashboardFixture): void {
  it('the removal of a person shows their keys and revokes them, unless somebody keeps them', async () => {
    const { dev, pets } = fixture();
    let secret = '';
    await withPage(fixture(), async (page) => {
      await signInAsPerson(page, fixture(), { name: 'Kim', role: 'admin' });
      await page.goto(`${dev.dashboardUrl}/api-keys`);
      await page.getByRole('button', { name: 'Create API key' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Import of Kim');
      await dialog.getByRole('checkbox', { name: 'pets:read' }).check();
      await dialog.getByRole('button', { name: 'Create API key' }).click();
      secret = (await page.locator('[data-secret]').inputValue()).trim();
      await dialog.getByRole('button', { name: 'I have saved this key' }).click();
      await page.getByRole('row', { name: /Import of Kim.*Kim/ }).waitFor();
    });
    await withPage(fixture(), async (page) => {
      await signIn(page, dev.dashboardUrl, dev.apiKey);
      await page.goto(`${dev.dashboardUrl}/people`);
      await page.getByRole('button', { name: 'Remove Kim' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Import of Kim').waitFor();
      expect(await dialog.getByRole('combobox').inputValue()).toBe('revoke');
      expect(await findSeriousViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('status').getByText('Kim removed.').waitFor();
    });
    const ended = createPetsClient({ baseUrl: dev.apiUrl, apiKey: secret });
    expect((await ended.GET('/v1/pets')).response.status).toBe(401);
    const { data: keys = [] } = await pets.GET('/v1/api-keys', { params: { query: { q: 'Import of Kim' } } });
    expect(keys[0]?.revocationReason).toBe('person_removed');
  });
}
