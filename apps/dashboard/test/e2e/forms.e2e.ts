import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describedText, openDomains, signIn, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

export function describeForms(fixture: () => DashboardFixture): void {
  describe('a form', () => {
    it('shows an error at its field, in the words of the form, and focuses the field', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await page.getByRole('button', { name: 'Add domain' }).first().click();
        const dialog = page.getByRole('dialog');
        const field = dialog.getByRole('textbox', { name: 'Domain' });
        await field.fill('not a domain');
        await page.keyboard.press('Enter');
        await dialog.locator('[aria-invalid=true]').waitFor();
        expect(await isFocused(field)).toBe(true);
        const described = await describedText(field);
        expect(described).toContain('.');
        expect(described).not.toMatch(/name:/);
        expect(await dialog.getByRole('alert').count()).toBe(0);
      }));

    it('asks before it discards what was entered, and returns to the field', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await page.getByRole('button', { name: 'Add domain' }).first().click();
        const dialog = page.getByRole('dialog');
        const field = dialog.getByRole('textbox', { name: 'Domain' });
        await field.fill('half.example');
        await page.keyboard.press('Escape');
        await dialog.getByText('Discard your changes?').waitFor();
        await page.waitForFunction(() => document.activeElement?.textContent === 'Keep editing');
        await page.keyboard.press('Enter');
        expect(await field.inputValue()).toBe('half.example');
        await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
        await page.keyboard.press('Escape');
        await dialog.getByRole('button', { name: 'Discard' }).click();
        await dialog.waitFor({ state: 'detached' });
      }));
  });

  describe('unsaved redirects', () => {
    it('are asked about when the page is left, by a link or with the back button', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const path = { projectId: dev.projectId };
        const name = 'unsaved.example.org';
        await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
        const project = `${dev.dashboardUrl}/projects/${dev.projectId}`;
        await signIn(page, project, dev.apiKey);
        await page.getByRole('link', { name: 'Redirects', exact: true }).click();
        await page.getByLabel('Primary domain').selectOption(name);
        await page.getByText('Not saved yet').waitFor();

        const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
        await page.getByRole('link', { name: 'Animals' }).click();
        await dialog.getByRole('button', { name: 'Keep editing' }).click();
        await dialog.waitFor({ state: 'detached' });
        expect(await page.getByLabel('Primary domain').inputValue()).toBe(name);
        await page.evaluate(() => history.back());
        await dialog.getByRole('button', { name: 'Discard' }).click();
        await page.getByRole('heading', { name: 'Deployments', level: 1 }).waitFor();
        const params = { path: { ...path, domain: name } };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params });
      }));
  });
}

function isFocused(field: Locator): Promise<boolean> {
  return field.evaluate((element) => element === document.activeElement);
}
