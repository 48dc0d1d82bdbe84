import { describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asVisitor, domainsUrl, signIn } from '../visitor.js';
import type { World } from '../world.js';

/** The two conditions of Add domain: a successful deploy, and a paid plan. */
export function tellGatesStory(world: () => World): void {
  describe('what a domain needs first', () => {
    it(
      'a deploy, then a paid plan: each is explained where one is stopped by it',
      () =>
        asVisitor(world(), async (page) => {
          const { dashboardUrl, freeApiKey, freeProjectId } = world().dev;
          await signIn(page, domainsUrl({ dashboardUrl, projectId: freeProjectId }), freeApiKey);
          await page.getByRole('button', { name: 'Add domain' }).click();
          await page.getByRole('dialog').getByText('Deploy the project first').waitFor();
          await page.getByRole('link', { name: 'To the deployments' }).click();

          await page.getByText('Nothing is deployed yet.').waitFor();
          await page.locator('input[type=file]').setInputFiles(await bundle());
          await page.getByText('Served', { exact: true }).waitFor();
          expect(await page.getByText('1 file,').innerText()).toContain('1 file,');

          await page.getByRole('link', { name: 'Domains', exact: true }).click();
          await page.getByRole('button', { name: 'Add domain' }).click();
          const dialog = page.getByRole('dialog');
          await dialog.getByText('Custom domains need a paid plan (Pro or above).').waitFor();
          await dialog.getByRole('textbox', { name: 'Domain' }).fill('free.example.com');
          await dialog.getByRole('button', { name: 'Add domain' }).click();
          await dialog.getByRole('alert').getByText('Your plan does not include custom domains').waitFor();
        }),
      60_000,
    );

    it('a new project begins with what to do', () =>
      asVisitor(world(), async (page) => {
        const { dev } = world();
        await signIn(page, dev.dashboardUrl, dev.apiKey);
        await page.getByRole('button', { name: 'Create project' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Zoë’s Handbook');
        expect(await dialog.getByRole('textbox', { name: 'Slug' }).inputValue()).toBe('zoe-s-handbook');
        await dialog.getByRole('button', { name: 'Create project' }).click();
        await page.getByText('Nothing is deployed yet.').waitFor();
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
