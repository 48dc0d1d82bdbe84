import { describe, expect, it } from '@jest/globals';
import { findSeriousViolations } from '../serious-violations.js';
import { addDomain, openDomains, signIn, withPage } from '../with-page.js';
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

    it('is set for one domain on its page, and removed', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        const site = 'forwarded.example.com';
        await openDomains(page, fixture());
        await addDomain(page, site);
        await page.getByText('Own application', { exact: true }).click();
        await page.getByText('It can be forwarded to an application of its own.').waitFor();
        await page.getByRole('textbox', { name: 'URL' }).fill('https://nowhere.invalid');
        await page.getByRole('button', { name: 'Set application' }).click();
        await page.getByText('Its name has no address.').waitFor();
        await page.getByRole('button', { name: 'Test again' }).click();
        await page.getByRole('status').getByText('The test has begun.').waitFor();
        const path = { projectId: dev.projectId, domain: site };
        const { data } = await pets.GET('/v1/projects/{projectId}/domains/{domain}/origin', { params: { path } });
        expect(data?.url).toBe('https://nowhere.invalid');
        expect(await findSeriousViolations(page)).toEqual([]);
        await page.getByRole('button', { name: 'Remove application' }).click();
        const dialog = page.getByRole('dialog', { name: 'Remove this application?' });
        await dialog.getByText('Visitors of the domain get its channel').waitFor();
        await dialog.getByRole('button', { name: 'Remove application' }).click();
        await page.getByText('It can be forwarded to an application of its own.').waitFor();
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
      }));
  });
}
