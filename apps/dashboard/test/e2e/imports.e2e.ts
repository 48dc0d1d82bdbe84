import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { DomainImportAction, DomainImportLine } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { openDomains, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** Takes seconds, or longer on a loaded machine. */
const DONE_TIMEOUT_MS = 60_000;

export function describeImports(fixture: () => DashboardFixture): void {
  describe('an import of domains', () => {
    it('is uploaded, shows its progress without a reload, and has a report to download', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await page.getByRole('button', { name: 'Import domains' }).click();
        const dialog = page.getByRole('dialog');
        const start = dialog.getByRole('button', { name: 'Start import' });
        await dialog.getByText('No file chosen').waitFor();
        expect(await start.isDisabled()).toBe(true);
        const names = Array.from({ length: 150 }, (_, index) => `d${index}.imported.example.com`);
        const lines = ['name,external_id,metadata.tier', ...names.map((name) => `${name},c-7,gold`), '*.com,,'];
        const buffer = Buffer.from(lines.join('\n'));
        await dialog.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
        await dialog.getByText('list.csv').waitFor();
        await start.click();

        const imports = page.getByRole('region', { name: 'Imports' });
        await imports.getByText('Finished').waitFor({ timeout: DONE_TIMEOUT_MS });
        await imports.getByText('151 of 151 lines, 150 added, 1 refused').waitFor();
        await page
          .getByRole('link', { name: /^d\d+\.imported/ })
          .first()
          .waitFor();
        const downloading = page.waitForEvent('download');
        await imports.getByRole('button', { name: 'Download report' }).click();
        const download = await downloading;
        expect(download.suggestedFilename()).toMatch(/^import-.*\.csv$/);
        const report = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
        expect(report[1]).toMatch(/^1,d0\.imported\.example\.com,created,.*,c-7$/);
        expect(report.at(-1)).toMatch(/^151,\*\.com,refused,.*invalid_domain/);
      }));

    it('is cancelled with a button that keeps the focus, and announced', () =>
      withPage(fixture(), async (page) => {
        await startImport(fixture(), 'add');
        const [started] = await listImports(fixture());
        const running = { ...started, state: 'running', lines: 10, done: 5 };
        let isCancelled = false;
        await page.route(/\/domain-imports(?:\?|$)/, (route) =>
          route.fulfill({ json: [{ ...running, ...(isCancelled && { state: 'cancelled' }) }] }),
        );
        await page.route(/\/domain-imports\/[^/]+\/cancel$/, (route) => {
          isCancelled = true;
          return route.fulfill({ json: { ...running, state: 'cancelled' } });
        });
        await openDomains(page, fixture());
        await page.getByRole('button', { name: 'Cancel import' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText('Import cancelled.').waitFor();
        await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
      }));

    it('shows why a file is refused', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await page.getByRole('button', { name: 'Import domains' }).click();
        const dialog = page.getByRole('dialog');
        const buffer = Buffer.from('domain\na.example.com\n');
        await dialog.locator('input[type=file]').setInputFiles({ name: 'other.csv', mimeType: 'text/csv', buffer });
        await dialog.getByRole('button', { name: 'Start import' }).click();
        await dialog.getByText('The header of the CSV file has no column "name".').waitFor();
      }));

    it('that removes domains of another client is shown as well', () =>
      withPage(fixture(), async (page) => {
        await openDomains(page, fixture());
        await startImport(fixture(), 'add');
        await waitUntil(async () => (await listImports(fixture())).every(({ state }) => state !== 'running'), {
          timeoutMs: DONE_TIMEOUT_MS,
          message: 'the import that adds the domains',
        });
        await startImport(fixture(), 'remove');
        const imports = page.getByRole('region', { name: 'Imports' });
        await imports.getByText('150 of 150 lines, 150 removed').waitFor({ timeout: DONE_TIMEOUT_MS });
        const downloading = page.waitForEvent('download');
        await imports.getByRole('button', { name: 'Download report' }).first().click();
        const report = (await readFile(await (await downloading).path(), 'utf8')).trimEnd().split('\n');
        expect((JSON.parse(report[0] ?? '') as DomainImportLine).result).toBe('removed');
      }));
  });
}

/** Adds or removes 150 domains, whether they are there or not. */
async function startImport({ dev, pets }: DashboardFixture, action: DomainImportAction): Promise<void> {
  const names = Array.from({ length: 150 }, (_, index) => `"d${index}.imported.example.com"\n`);
  const { error } = await pets.POST('/v1/projects/{projectId}/domain-imports', {
    params: { path: { projectId: dev.projectId }, query: { action } },
    headers: { 'content-type': 'application/x-ndjson' },
    body: new Blob(names),
  });
  expect(error).toBeUndefined();
}

/** Newest first. */
async function listImports({ dev, pets }: DashboardFixture) {
  const params = { path: { projectId: dev.projectId } };
  const { data = [] } = await pets.GET('/v1/projects/{projectId}/domain-imports', { params });
  return data;
}
