import { describe, expect, it } from '@jest/globals';
import { findSeriousViolations } from '../serious-violations.js';
import { withPage, signIn } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const refused = { code: 'connection', detail: 'no connection to nowhere.invalid:443: ECONNREFUSED' };

export function describeOrigin(fixture: () => DashboardFixture): void {
  describe('the application of a project', () => {
    it('is set, says what its test found, and is removed', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const name = 'Application behind a domain';
        const { data } = await pets.POST('/v1/projects', { body: { name, slug: 'application-behind' } });
        const projectId = data?.id ?? '';
        await signIn(page, `${dev.dashboardUrl}/projects/${projectId}/settings/application`, dev.apiKey);
        await page.getByText('The project serves its deployment.').waitFor();
        const url = page.getByRole('textbox', { name: 'URL' });
        await url.fill('https://app.example.net/path');
        await page.getByRole('button', { name: 'Set application' }).click();
        await page.getByText('must be https://host or https://host:port').waitFor();
        expect(await url.getAttribute('aria-invalid')).toBe('true');
        // No such name exists, so an edge that tests it finds no address.
        await url.fill('https://nowhere.invalid');
        await page.getByRole('textbox', { name: 'Header for every request' }).fill('X-Secret');
        await page.getByRole('textbox', { name: 'Value of the header' }).fill('s3cret');
        await page.getByRole('button', { name: 'Set application' }).click();
        await page.getByText('Its name has no address.').waitFor();
        await page.getByText('Test failed').waitFor();
        await page.getByText('x-secret', { exact: true }).waitFor();
        expect(await page.getByRole('textbox', { name: 'Value of the header' }).inputValue()).toBe('');
        expect(await findSeriousViolations(page)).toEqual([]);
        const health = { state: 'failing', since: '2026-11-05T14:02:10.000Z', failure: refused };
        await page.route(/\/v1\/projects\/[^/]+\/origin$/, async (route) => {
          if (route.request().method() !== 'GET') return route.continue();
          const response = await route.fetch();
          if (!response.ok()) return route.fulfill({ response });
          const origin = (await response.json()) as object;
          return route.fulfill({ response, json: { ...origin, state: 'serving', health } });
        });
        await page.reload();
        await page.getByText('Edges cannot connect', { exact: true }).waitFor();
        await page.getByText(`It accepts no connection. (${refused.detail})`).waitFor();
        expect(await findSeriousViolations(page)).toEqual([]);
        await page.getByRole('button', { name: 'Remove application' }).click();
        const dialog = page.getByRole('dialog', { name: 'Remove this application?' });
        await dialog.getByRole('button', { name: 'Remove application' }).click();
        await page.getByText('The project serves its deployment.').waitFor();
      }));
  });
}
