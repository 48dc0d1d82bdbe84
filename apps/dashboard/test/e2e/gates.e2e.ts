import { describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asVisitor, domainsUrl, signIn } from '../visitor.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** The two conditions of Add domain: a paid plan, and a successful deploy. */
export function tellGatesStory(fixture: () => DashboardFixture): void {
  describe('what a domain needs first', () => {
    it(
      'a paid plan and a deploy: each is explained before anything is typed or refused',
      () =>
        asVisitor(fixture(), async (page) => {
          const { dashboardUrl, freeApiKey, freeProjectId } = fixture().dev;
          await signIn(page, dashboardUrl, freeApiKey);
          await page.getByText('Free is on the Free plan, which does not include custom domains.').waitFor();
          await page.goto(domainsUrl({ dashboardUrl, projectId: freeProjectId }));
          const dialog = page.getByRole('dialog');
          const plan = dialog.getByText('Your plan does not include custom domains');
          const deploy = dialog.getByText('Deploy the project first');
          await page.getByRole('button', { name: 'Add domain' }).click();
          await Promise.all([plan.waitFor(), deploy.waitFor()]);
          expect(await dialog.getByRole('textbox', { name: 'Domain' }).isDisabled()).toBe(true);
          expect(await dialog.getByRole('button', { name: 'Add domain' }).isDisabled()).toBe(true);
          await page.getByRole('link', { name: 'Go to deployments' }).click();

          await page.getByText('No deployments yet.').waitFor();
          await page.locator('input[type=file]').setInputFiles(await bundle());
          await page.getByText('Active', { exact: true }).waitFor();
          expect(await page.getByText('1 file,').innerText()).toContain('1 file,');

          await page.getByRole('link', { name: 'Domains', exact: true }).click();
          await page.getByRole('button', { name: 'Add domain' }).click();
          await plan.waitFor();
          expect(await deploy.count()).toBe(0);
          expect(await dialog.getByRole('button', { name: 'Add domain' }).isDisabled()).toBe(true);
        }),
      60_000,
    );

    it('a paid plan is shown with what it allows, and stands in nobody’s way', () =>
      asVisitor(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.getByText('Acme is on the Pro plan: up to 50 custom domains per project.').waitFor();
        await page.goto(domainsUrl(dev));
        await page.getByRole('button', { name: 'Add domain' }).click();
        const dialog = page.getByRole('dialog');
        expect(await dialog.getByRole('textbox', { name: 'Domain' }).isEnabled()).toBe(true);
        expect(await dialog.getByText('Your plan does not include custom domains').count()).toBe(0);
      }));

    it('a new project begins with what to do', () =>
      asVisitor(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.getByRole('button', { name: 'Create project' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Zoë’s Handbook');
        expect(await dialog.getByRole('textbox', { name: 'Slug' }).inputValue()).toBe('zoe-s-handbook');
        await dialog.getByRole('button', { name: 'Create project' }).click();
        await page.getByText('No deployments yet.').waitFor();
      }));
  });
}

/** A site of one page, as one uploads it. */
async function bundle(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-bundle-'));
  await writeFile(join(folder, 'index.html'), '<h1>Free</h1>');
  const chunks: Uint8Array[] = [];
  for await (const chunk of create({ gzip: true, cwd: folder, portable: true }, ['index.html'])) chunks.push(chunk);
  await rm(folder, { recursive: true });
  return { name: 'site.tar.gz', mimeType: 'application/gzip', buffer: Buffer.concat(chunks) };
}
