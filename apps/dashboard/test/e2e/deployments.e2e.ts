import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { asVisitor, signIn } from '../visitor.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** What a project has kept, what it takes, and what is kept no longer. */
export function tellDeploymentsStory(fixture: () => DashboardFixture): void {
  describe('the deployments of a project', () => {
    it('show what is stored; an earlier one is deleted after a question, and cannot be served again', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pets-deployments-'));
      try {
        const { dev, pets } = fixture();
        const { data: project } = await pets.POST('/v1/projects', { body: { name: 'Kept', slug: 'kept-or-not' } });
        await asVisitor(fixture(), async (page) => {
          await signIn(page, dev.dashboardUrl, dev.apiKey);
          await page.goto(`${dev.dashboardUrl}/projects/${project?.id}`);
          const upload = async (text: string) => {
            await writeFile(join(folder, 'index.html'), text);
            const file = join(folder, `${text}.tar.gz`);
            await create({ file, gzip: true, cwd: folder }, ['index.html']);
            await page.locator('input[type=file]').setInputFiles(file);
          };
          await upload('first');
          await page.getByText('Active', { exact: true }).waitFor();
          await upload('second');
          const earlier = page.getByRole('listitem').filter({ hasText: 'Activate' });
          await earlier.getByRole('button', { name: 'Delete' }).click();
          await page.getByText(/uses .* of 20\.0 GiB\. The last 20 deployments/).waitFor();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
          await page.getByText('Deleted', { exact: true }).waitFor();
          expect(await page.getByRole('button', { name: 'Activate' }).count()).toBe(0);
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }, 60_000);
  });
}
