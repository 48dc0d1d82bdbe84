import { describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { domainsUrl, signIn, withPage } from '../with-page.js';
import { repositoryRoot } from '@pets/testing/processes';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** Adding a domain requires a paid plan and a successful deployment. */
export function describePrerequisites(fixture: () => DashboardFixture): void {
  describe('the prerequisites of a domain', () => {
    it('are a paid plan and a deployment, explained in the dialog before the user types anything', () =>
      withPage(fixture(), async (page) => {
        const { dashboardUrl, freeApiKey, freeProjectId } = fixture().dev;
        await signIn(page, dashboardUrl, freeApiKey);
        await page.getByText('Free is on the Free plan, which does not include custom domains.').waitFor();
        await page.goto(domainsUrl({ dashboardUrl, projectId: freeProjectId }));
        const dialog = page.getByRole('dialog');
        const plan = dialog.getByText('Your plan does not include custom domains');
        const deploy = dialog.getByText('Deploy the project first');
        await page.getByRole('button', { name: 'Add domain' }).first().click();
        await Promise.all([plan.waitFor(), deploy.waitFor()]);
        expect(await dialog.getByRole('textbox', { name: 'Domain' }).isDisabled()).toBe(true);
        expect(await dialog.getByRole('button', { name: 'Add domain' }).isDisabled()).toBe(true);
        await page.getByRole('link', { name: 'Go to deployments' }).click();

        await page.getByText('No deployments yet').waitFor();
        await archiveInput(page).setInputFiles(await bundle());
        await page.getByText('Active', { exact: true }).waitFor();
        expect(await page.getByText('1 file,').innerText()).toContain('1 file,');

        await page.getByRole('link', { name: 'Domains', exact: true }).click();
        await page.getByRole('button', { name: 'Add domain' }).first().click();
        await plan.waitFor();
        expect(await deploy.count()).toBe(0);
        expect(await dialog.getByRole('button', { name: 'Add domain' }).isDisabled()).toBe(true);
      }));

    it('are met by a paid plan, whose limit is shown', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.getByText('Acme is on the Pro plan: up to 1000 custom domains per project.').waitFor();
        await page.goto(domainsUrl(dev));
        await page.getByRole('button', { name: 'Add domain' }).first().click();
        const dialog = page.getByRole('dialog');
        expect(await dialog.getByRole('textbox', { name: 'Domain' }).isEnabled()).toBe(true);
        expect(await dialog.getByText('Your plan does not include custom domains').count()).toBe(0);
      }));

    it('of a new project are explained on its first page', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.getByRole('button', { name: 'Create project' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Zoë’s Handbook');
        expect(await dialog.getByRole('textbox', { name: 'Slug' }).inputValue()).toBe('zoe-s-handbook');
        await dialog.getByRole('button', { name: 'Create project' }).click();
        await page.getByText('No deployments yet').waitFor();
      }));
  });
}

/** The hidden field behind "Choose .zip or .tar.gz". */
function archiveInput(page: Page): Locator {
  return page.locator('input[type=file]:not([webkitdirectory])');
}

/** The archive of a site with one page. */
async function bundle(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-bundle-'));
  await writeFile(join(folder, 'index.html'), '<h1>Free</h1>');
  const chunks: Uint8Array[] = [];
  for await (const chunk of create({ gzip: true, cwd: folder, portable: true }, ['index.html'])) chunks.push(chunk);
  await rm(folder, { recursive: true });
  return { name: 'site.tar.gz', mimeType: 'application/gzip', buffer: Buffer.concat(chunks) };
}

/** Uploading, deleting and the storage limit. */
export function describeDeployments(fixture: () => DashboardFixture): void {
  describe('the deployments of a project', () => {
    it('show the used storage, and a deleted one cannot be activated', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pets-deployments-'));
      try {
        const { dev, pets } = fixture();
        const { data: project } = await pets.POST('/v1/projects', { body: { name: 'Kept', slug: 'kept-or-not' } });
        await withPage(fixture(), async (page) => {
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.goto(`${dev.dashboardUrl}/projects/${project?.id}`);
          const upload = async (text: string) => {
            await writeFile(join(folder, 'index.html'), text);
            const file = join(folder, `${text}.tar.gz`);
            await writeFile(join(folder, '.DS_Store'), 'macOS');
            await create({ file, gzip: true, cwd: folder }, ['index.html', '.DS_Store']);
            await archiveInput(page).setInputFiles(file);
          };
          await upload('first');
          await page.getByText('Active', { exact: true }).waitFor();
          await page.getByText('1 file of your operating system was left out').waitFor();
          await page.getByText('.DS_Store', { exact: true }).waitFor();
          await upload('second');
          const earlier = page.getByRole('row').filter({ hasText: 'Activate' });
          await earlier.getByRole('button', { name: 'Delete' }).click();
          await page.getByText(/uses .* of 20\.0 GiB\. The last 20 deployments/).waitFor();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
          await page.getByText('Deleted', { exact: true }).waitFor();
          expect(await page.getByRole('button', { name: 'Activate' }).count()).toBe(0);
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('are uploaded as a folder or a zip archive, chosen or dropped, and say why one cannot be', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pets-site-'));
      try {
        const { dev, pets } = fixture();
        const { data: project } = await pets.POST('/v1/projects', { body: { name: 'Dropped', slug: 'dropped-site' } });
        await mkdir(join(folder, 'dist/docs'), { recursive: true });
        await writeFile(join(folder, 'dist/index.html'), 'Home');
        await writeFile(join(folder, 'dist/docs/café.html'), 'Docs');
        await withPage(fixture(), async (page) => {
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.goto(`${dev.dashboardUrl}/projects/${project?.id}`);
          await page.getByText('pets deploy FOLDER --project dropped-site').waitFor();
          await page.locator('input[webkitdirectory]').setInputFiles(join(folder, 'dist'));
          await page.getByText('2 files,').waitFor();

          await dropFolder(page, 'dist', { 'index.html': 'Home', 'docs/café.html': 'Docs', 'third.html': 'More' });
          await page.getByText('3 files,').waitFor();
          const { data: deployments = [] } = await pets.GET('/v1/projects/{projectId}/deployments', {
            params: { path: { projectId: project?.id ?? '' } },
          });
          expect(deployments.map(({ files }) => files)).toEqual([3, 2]);

          await archiveInput(page).setInputFiles(zipOfRealTool);
          await page.getByText('8 files,').waitFor();
          await archiveInput(page).setInputFiles({
            name: 'a.zip',
            mimeType: 'application/zip',
            buffer: Buffer.from('x'),
          });
          await page.getByRole('alert').getByText('It is not a complete zip archive.').waitFor();

          await writeFile(join(folder, 'dist/_redirects'), '/a /b 999');
          await page.locator('input[webkitdirectory]').setInputFiles(join(folder, 'dist'));
          await page.getByRole('alert').getByText('_redirects, line 1: "999" is no status of a rule').waitFor();
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}

const zipOfRealTool = join(repositoryRoot, 'apps/pets-api/test/projects/archives/zip.zip');

/**
 * Drops a folder with these files. Its entries are those of a file system that browsers keep for a page: entries as a file manager
 * hands them over exist only for a real mouse, and DevTools' imitation of one crashed the page of a busy machine.
 */
async function dropFolder(page: Page, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('region', { name: 'Upload your site' }).evaluate(
    async (zone, [folderName, contents]) => {
      type Callbacks<Value> = [(value: Value) => void, (error: Error) => void];
      const call = <Value>(run: (...callbacks: Callbacks<Value>) => void) => new Promise<Value>(run);
      const open = (globalThis as unknown as { webkitRequestFileSystem: (...options: unknown[]) => void })
        .webkitRequestFileSystem;
      const { root } = await call<FileSystem>((...done) => open(0, 1_000_000, ...done));
      const create = { create: true };
      const folderAt = (parent: FileSystemDirectoryEntry, path: string) =>
        call<FileSystemEntry>((...done) => parent.getDirectory(path, create, ...done));
      const dropped = (await folderAt(root, folderName)) as FileSystemDirectoryEntry;
      for (const [path, text] of Object.entries(contents)) {
        const slash = path.lastIndexOf('/');
        if (slash !== -1) await folderAt(dropped, path.slice(0, slash));
        const file = await call<FileSystemEntry>((...done) => dropped.getFile(path, create, ...done));
        interface Writer {
          onwriteend: () => void;
          write(content: Blob): void;
        }
        const writable = file as unknown as { createWriter: (...callbacks: Callbacks<Writer>) => void };
        const writer = await call<Writer>((...done) => writable.createWriter(...done));
        await new Promise<void>((resolve) => {
          writer.onwriteend = resolve;
          writer.write(new Blob([text]));
        });
      }
      const event = new Event('drop', { bubbles: true, cancelable: true });
      const items = [{ webkitGetAsEntry: () => dropped }];
      zone.dispatchEvent(Object.defineProperty(event, 'dataTransfer', { value: { items } }));
    },
    [name, files] as const,
  );
}
