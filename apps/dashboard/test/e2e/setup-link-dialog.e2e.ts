import { describe, expect, it } from '@jest/globals';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { devices, findProblems, themesOf } from '../looks.js';
import { findViolations } from '../serious-violations.js';
import { addDomain, openDomains, withPage } from '../with-page.js';

export function describeSetupLinkDialog(fixture: () => DashboardFixture): void {
  describe('the dialog for set-up links', () => {
    it('creates a link, shows it once, and ends it', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        const name = 'sent.example.com';
        await addDomain(page, name);
        const button = page.getByRole('button', { name: 'Send a set-up link' });
        await button.click();
        const dialog = page.getByRole('dialog', { name: `Set-up link for ${name}` });
        expect(await findViolations(page)).toEqual([]);
        await dialog.getByLabel('Valid for').selectOption('1 day');
        await dialog.getByRole('button', { name: 'Create link' }).click();
        const url = await dialog.getByRole('textbox', { name: 'Set-up link' }).inputValue();
        const [[, , looks] = []] = devices;
        expect(await findProblems(page, 'setup-link', themesOf(looks ?? []), { isStrict: true })).toEqual([]);
        await dialog.getByRole('button', { name: 'I have copied this link' }).click();
        await dialog.waitFor({ state: 'detached' });

        await withPage(fixture(), async (owner) => {
          await owner.goto(url);
          await owner.getByRole('heading', { name: `Set up ${name}` }).waitFor();
          await button.click();
          expect(await findViolations(page)).toEqual([]);
          const row = dialog.getByRole('row').filter({ hasText: 'in 23 h' });
          await row.getByRole('button', { name: 'End' }).click();
          await row.waitFor({ state: 'detached' });
          await owner.getByRole('heading', { name: 'This link has ended' }).waitFor();
        });
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
      }));
  });
}
