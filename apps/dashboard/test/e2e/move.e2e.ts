import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { create } from 'tar';
import { join } from 'node:path';
import { addDomain, openDomains, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const SITE = 'relocated.example.com';

export function describeMoves(fixture: () => DashboardFixture): void {
  describe('a move to another project', () => {
    it('is refused with what refers to the domain, and takes it along if wanted', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        const target = await createProject();
        await openDomains(page, fixture());
        await addDomain(page, SITE);
        await pets.PUT('/v1/projects/{projectId}/domain-config', {
          params: { path: { projectId: dev.projectId } },
          body: { domains: { primary: SITE, redirects: [] } },
        });

        await page.getByRole('button', { name: `More actions for ${SITE}` }).click();
        await page.getByRole('menuitem', { name: 'Move to another project' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Move to').selectOption(target);
        await dialog.getByRole('button', { name: 'Move domain' }).click();
        await dialog.getByRole('alert').getByText(`${SITE} is the primary domain of the project`).waitFor();
        await dialog.getByLabel('Also move the redirects').check();
        await dialog.getByRole('button', { name: 'Move domain' }).click();

        await page.getByRole('status').getByText(`${SITE} moved to Handbook.`).waitFor();
        await page.getByRole('heading', { name: SITE, level: 1 }).waitFor();
        expect(new URL(page.url()).pathname).toContain(`/projects/${target}/settings/domains/`);
        await page.getByText('History', { exact: true }).click();
        await page.getByText('moved here from the project').waitFor();
        const { data } = await pets.GET('/v1/projects/{projectId}/domain-config', {
          params: { path: { projectId: target } },
        });
        expect(data).toEqual({ domains: { primary: SITE, redirects: [] } });
        const path = { projectId: target, domain: SITE };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
      }));

    /** @returns the id of another project, which has a deployment */
    async function createProject(): Promise<string> {
      const { pets, dev } = fixture();
      const { data } = await pets.POST('/v1/projects', { body: { name: 'Handbook', slug: 'handbook' } });
      const chunks: Uint8Array[] = [];
      const cwd = join(import.meta.dirname, '..');
      for await (const chunk of create({ gzip: true, cwd }, ['dashboard.test.ts'])) chunks.push(chunk);
      await fetch(`${dev.apiUrl}/v1/projects/${data?.id}/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${dev.apiKey}`, 'content-type': 'application/gzip' },
        body: new Uint8Array(Buffer.concat(chunks)),
      });
      return data?.id ?? '';
    }
  });
}
