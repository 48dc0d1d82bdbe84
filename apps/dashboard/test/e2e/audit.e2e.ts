import { describe, expect, it } from '@jest/globals';
import { findSeriousViolations } from '../serious-violations.js';
import { signIn, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

export function describeAudit(fixture: () => DashboardFixture): void {
  describe('the audit log', () => {
    it('names what was changed, and is limited to a kind, a resource and an actor', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const { data: project } = await pets.POST('/v1/projects', {
          body: { name: 'Audited docs', slug: 'audited-docs' },
        });
        const path = { projectId: project?.id ?? '' };
        await pets.PATCH('/v1/projects/{projectId}', { params: { path }, body: { name: 'Audited pages' } });
        await pets.PUT('/v1/projects/{projectId}/origin', {
          params: { path },
          body: { url: 'https://nowhere.invalid' },
        });
        await signIn(page, `${dev.dashboardUrl}/audit`, dev.apiKey);

        const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
        const ofOrigin = rows.filter({ hasText: 'https://nowhere.invalid' });
        await ofOrigin.getByText('Audited pages').first().waitFor();
        await page.getByLabel('Event', { exact: true }).selectOption('Project changed');
        await ofOrigin.first().waitFor({ state: 'detached' });
        const changed = rows.filter({ hasText: 'Audited pages' });
        expect(await changed.count()).toBe(1);
        await changed.locator('summary').click();
        await changed.getByText(path.projectId, { exact: true }).waitFor();
        await changed.getByRole('button', { name: 'Only this resource' }).click();
        await page.getByLabel('Event', { exact: true }).selectOption('All');
        await rows.filter({ hasText: 'Audited docs' }).waitFor();
        // The header, and both changes of the project.
        expect(await rows.count()).toBe(3);
        expect(await findSeriousViolations(page)).toEqual([]);

        await rows.filter({ hasText: 'Audited docs' }).locator('summary').click();
        await rows.filter({ hasText: 'Audited docs' }).getByRole('button', { name: 'Only this actor' }).click();
        await page.getByRole('button', { name: /^Remove the filter: Of Audited/ }).click();
        await ofOrigin.first().waitFor();
        await page.getByRole('button', { name: /^Remove the filter: By API key pets_/ }).click();
        await page.getByLabel('Event', { exact: true }).selectOption('Person role changed');
        await page.getByText('No change matches the filters.').waitFor();
      }));
  });
}
