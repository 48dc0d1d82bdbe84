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
        await page.getByText('Acme is on the Pro plan: up to 1,000 custom domains per project.').waitFor();
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
          await page.getByRole('row').filter({ hasText: 'Inactive' }).waitFor();
          await page.getByText('What changed').first().click();
          await page.getByText('0 added, 1 changed, 0 removed').waitFor();
          await page.getByText('~ index.html').waitFor();
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

    it('are put on channels, whose list has their addresses', async () => {
      const { dev, pets } = fixture();
      const { data: project } = await pets.POST('/v1/projects', {
        body: { name: 'Previewed', slug: 'previewed-site' },
      });
      await withPage(fixture(), async (page) => {
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.goto(`${dev.dashboardUrl}/projects/${project?.id}`);
        await archiveInput(page).setInputFiles(await bundle());
        await page.getByRole('button', { name: 'Put on a channel…' }).click();
        const dialog = page.getByRole('dialog');
        const put = dialog.getByRole('button', { name: 'Put on a channel' });
        await dialog.getByRole('textbox', { name: 'Channel' }).fill('No');
        await put.click();
        await dialog.getByText('must have at least 3 characters').waitFor();
        await dialog.getByRole('textbox', { name: 'Channel' }).fill('beta');
        await put.click();
        await page.getByText('On beta').waitFor();
        const channels = page.getByRole('table', { name: 'Channels' });
        const address = channels.getByRole('link', { name: 'beta--previewed-site.' });
        expect(await address.getAttribute('href')).toMatch(/^https:\/\/beta--previewed-site\./);
        await channels.getByRole('button', { name: 'Access of beta' }).click();
        await dialog.getByRole('button', { name: 'Protect' }).click();
        await dialog.getByRole('button', { name: 'Create link' }).click();
        const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
        expect(new URL(link).searchParams.get('__preview')).toMatch(/^[\w.-]{97}$/);
        await dialog.getByRole('button', { name: 'I have copied this link' }).click();
        await channels.getByText('Protected').waitFor();
        await channels.getByRole('button', { name: 'Access of beta' }).click();
        await dialog.getByRole('button', { name: 'End all links' }).click();
        await page.getByRole('region', { name: 'Notifications' }).getByText('All links ended').waitFor();
        await dialog.getByRole('button', { name: 'Let everybody in' }).click();
        await dialog.getByRole('button', { name: 'Protect' }).waitFor();
        await page.keyboard.press('Escape');
        await channels.getByText('Public').waitFor();
        await channels.getByRole('button', { name: 'Remove beta' }).click();
        await dialog.getByRole('button', { name: 'Remove' }).click();
        await channels.waitFor({ state: 'detached' });
        await page.getByText('On beta').waitFor({ state: 'detached' });
      });
    });

    it('are uploaded as a folder or a zip archive, and say why one cannot be', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pets-site-'));
      try {
        const { dev, pets } = fixture();
        const { data: project } = await pets.POST('/v1/projects', { body: { name: 'Chosen', slug: 'chosen-site' } });
        const dist = await makeSite(folder);
        await withPage(fixture(), async (page) => {
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.goto(`${dev.dashboardUrl}/projects/${project?.id}`);
          await page.getByText('pets deploy FOLDER --project chosen-site').waitFor();
          await page.locator('input[webkitdirectory]').setInputFiles(dist);
          await page.getByText('2 files,').waitFor();
          await archiveInput(page).setInputFiles(zipOfRealTool);
          await page.getByText('8 files,').waitFor();
          await archiveInput(page).setInputFiles({
            name: 'a.zip',
            mimeType: 'application/zip',
            buffer: Buffer.from('x'),
          });
          await page.getByRole('alert').getByText('It is not a complete zip archive.').waitFor();

          await writeFile(join(dist, '_redirects'), '/a /b 999');
          await page.locator('input[webkitdirectory]').setInputFiles(dist);
          await page.getByRole('alert').getByText('_redirects, line 1: "999" is no status of a rule').waitFor();
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('are uploaded as a folder that is dropped', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pets-site-'));
      try {
        const { dev, pets } = fixture();
        const { data: project } = await pets.POST('/v1/projects', { body: { name: 'Dropped', slug: 'dropped-site' } });
        const dist = await makeSite(folder);
        await withPage(fixture(), async (page) => {
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.goto(`${dev.dashboardUrl}/projects/${project?.id}`);
          await page.getByText('pets deploy FOLDER --project dropped-site').waitFor();
          await drop(page, dist);
          await page.getByText('2 files,').waitFor();
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}

const zipOfRealTool = join(repositoryRoot, 'apps/pets-api/test/projects/archives/zip.zip');

/** Writes a site of two pages. @returns its folder */
async function makeSite(parent: string): Promise<string> {
  const dist = join(parent, 'dist');
  await mkdir(join(dist, 'docs'), { recursive: true });
  await writeFile(join(dist, 'index.html'), 'Home');
  await writeFile(join(dist, 'docs/café.html'), 'Docs');
  return dist;
}

/** Drops a folder, as a file manager does. */
async function drop(page: Page, path: string): Promise<void> {
  const box = await page.getByRole('region', { name: 'Upload your site' }).boundingBox();
  const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
  const devTools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devTools.send('Input.dispatchDragEvent', { type, ...at, data });
}
