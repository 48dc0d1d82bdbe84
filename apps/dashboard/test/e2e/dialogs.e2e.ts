import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { devices, findProblems, themesOf } from '../looks.js';
import { signIn, withPage } from '../with-page.js';

const names = ['a.dialogs.example', 'b.dialogs.example'] as const;

export function describeDialogs(fixture: () => DashboardFixture): void {
  describe('every dialog', () => {
    beforeAll(async () => {
      const { dev, pets } = fixture();
      const params = { path: { projectId: dev.projectId } };
      for (const name of names)
        await pets.POST('/v1/projects/{projectId}/domains', { params, body: { name, pair: false } });
      await pets.POST('/v1/projects', { body: { name: 'Target of a move', slug: 'target-of-a-move' } });
    });

    it.each(devices)('is accessible while it is open: %s', (device, options, looks) =>
      withPage(
        fixture(),
        async (page) => {
          const { dev } = fixture();
          const dialog = page.getByRole('dialog');
          const press = (name: string) => dialog.getByRole('button', { name }).click();
          const problems: string[] = [];
          const themes = themesOf(looks);
          const check = async (name: string) => {
            await dialog.waitFor();
            problems.push(...(await findProblems(page, name, themes, { isStrict: true })));
          };
          const open = async (path: string, button: string) => {
            await page.goto(dev.dashboardUrl + path);
            await page.getByRole('button', { name: button }).first().click();
          };
          await signIn(page, dev.dashboardUrl, dev.apiKey);

          await open('/api-keys', 'Create API key');
          await check('create-key');
          await dialog.getByRole('textbox', { name: 'Name' }).fill(`Of a dialog, ${device}`);
          await dialog.getByRole('checkbox', { name: 'pets:read' }).check();
          await dialog.getByLabel('Existing API key').fill(dev.apiKey);
          await press('Create API key');
          await page.locator('[data-secret]').waitFor();
          await check('new-key');
          await press('I have saved this key');

          const url = `https://${device}.dialogs.example/hooks`;
          await open('/webhooks', 'Create endpoint');
          await check('create-endpoint');
          await dialog.getByRole('textbox', { name: 'URL' }).fill(url);
          await press('Create endpoint');
          await page.locator('[data-secret]').waitFor();
          await check('new-secret');
          await press('I have saved this secret');
          await openMenu(page, url, 'Rotate secret');
          await check('rotate-secret');

          const project = `/projects/${dev.projectId}`;
          await open(`${project}/settings/domains`, 'Import domains');
          await dialog.getByText('No file chosen').waitFor();
          await check('import');
          await page.goto(`${dev.dashboardUrl}${project}/settings/domains/${names[0]}`);
          await page.getByText('Own certificate', { exact: true }).click();
          await page.getByRole('button', { name: 'Upload certificate' }).click();
          await check('upload-certificate');
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
          await openMenu(page, names[0], 'Move to another project');
          await dialog.getByLabel('Move to').waitFor();
          await check('move');

          await open('/people', 'Invite person');
          await check('invite');
          await dialog.getByRole('textbox', { name: 'Name' }).fill(`Guest, ${device}`);
          await page.keyboard.press('Escape');
          await dialog.getByText('Discard your changes?').waitFor();
          await check('discard');
          await press('Discard');

          await page.goto(`${dev.dashboardUrl}${project}/settings/redirects`);
          await page.getByRole('button', { name: 'Add redirect' }).click();
          await page.getByRole('link', { name: 'Animals' }).click();
          await check('unsaved');
          await press('Discard');
          await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
          expect(problems).toEqual([]);
        },
        options,
      ),
    );
  });
}

async function openMenu(page: Page, subject: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${subject}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
