import { describe, expect, it } from '@jest/globals';
import { findSeriousViolations } from '../serious-violations.js';
import { withPage, signIn } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const names = ['docs.redirects.example', 'www.redirects.example'] as const;

export function describeRedirects(fixture: () => DashboardFixture): void {
  describe('redirects', () => {
    it('are drawn and saved; a cycle and a concurrent change are refused with a reason', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const path = { projectId: dev.projectId };
        for (const name of names)
          await pets.POST('/v1/projects/{projectId}/domains', { params: { path }, body: { name, pair: false } });
        await signIn(page, `${dev.dashboardUrl}/projects/${dev.projectId}/settings/redirects`, dev.apiKey);

        await page.getByLabel('Primary domain').selectOption(names[0]);
        const platformHost = new URL(await readPlatformUrl()).hostname;
        await page.getByLabel(`Also redirect ${platformHost} to this domain`).check();
        await page.getByRole('img', { name: `${platformHost} redirects to ${names[0]} with 308` }).waitFor();
        await page.getByRole('button', { name: 'Add redirect' }).click();
        const first = page.getByRole('group', { name: 'Redirect 1' });
        await first.getByLabel('From').selectOption(names[1]);
        await first.getByLabel('To').selectOption(names[0]);
        await page.getByRole('img', { name: `${names[1]} redirects to ${names[0]} with 301` }).waitFor();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('status').getByText('Redirects saved.').waitFor();
        expect(await readConfig()).toEqual({
          domains: { primary: names[0], redirects: [{ from: names[1], to: names[0], status: 301 }] },
          platformRedirect: true,
        });

        await page.getByRole('button', { name: 'Add redirect' }).click();
        const second = page.getByRole('group', { name: 'Redirect 2' });
        await second.getByLabel('From').selectOption(names[0]);
        await second.getByLabel('To').selectOption(names[1]);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').getByText('These redirects form a loop').waitFor();
        for (const row of [first, second]) {
          await row.getByText('Is part of the loop.').waitFor();
          const from = row.getByLabel('From');
          expect(await from.getAttribute('aria-invalid')).toBe('true');
          const describedBy = (await from.getAttribute('aria-describedby')) ?? '';
          expect(await page.locator(`[id="${describedBy}"]`).innerText()).toBe('Is part of the loop.');
        }
        await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
        expect(await findSeriousViolations(page)).toEqual([]);
        await second.getByLabel('From').selectOption(names[1]);
        await first.getByText('Is part of the loop.').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Save' }).click();
        await second.getByText('is redirected twice').waitFor();
        expect(await first.getByLabel('From').getAttribute('aria-invalid')).not.toBe('true');

        await pets.PUT('/v1/projects/{projectId}/domain-config', {
          params: { path },
          body: { domains: { primary: names[1], redirects: [] } },
        });
        await page.getByRole('button', { name: 'Delete redirect 2' }).click();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('button', { name: 'Load latest version' }).click();
        await page.getByRole('group', { name: 'Redirect 1' }).waitFor({ state: 'detached' });
        expect(await page.getByLabel('Primary domain').inputValue()).toBe(names[1]);

        await pets.POST('/v1/projects/{projectId}/domains', {
          params: { path },
          body: { name: 'bücher.redirects.example', pair: false },
        });
        await pets.PUT('/v1/projects/{projectId}/domain-config', {
          params: { path },
          body: { domains: { primary: 'Bücher.redirects.example', redirects: [] } },
        });
        await page.reload();
        const option = { label: 'bücher.redirects.example (xn--bcher-kva.redirects.example)' };
        await page.getByLabel('Primary domain').selectOption(option);
        expect(await page.getByLabel('Primary domain').inputValue()).toBe('xn--bcher-kva.redirects.example');

        for (const domain of [...names, 'xn--bcher-kva.redirects.example'])
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path: { ...path, domain } } });
      }));

    it('can be tested: a URL shows what visitors get, and why', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/projects/${dev.projectId}/settings/redirects`, dev.apiKey);
        const url = page.getByRole('textbox', { name: 'URL' });
        await url.fill(`${await readPlatformUrl()}/index.html`);
        await page.getByRole('button', { name: 'Test', exact: true }).click();
        await page.getByText('Status 200 after 1 redirect.').waitFor();
        const answers = page.getByRole('list', { name: 'Answers, in order' });
        await answers.getByText('The page has this address.').waitFor();
        await answers.getByText('A file at this address.').waitFor();
        expect(await findSeriousViolations(page)).toEqual([]);
        await url.fill('https://elsewhere.example/');
        await page.getByRole('button', { name: 'Test', exact: true }).click();
        await page.getByText('The project does not serve the host elsewhere.example.').waitFor();
      }));

    it('are joined by the form of addresses, which is saved when it is chosen', () =>
      withPage(fixture(), async (page) => {
        const { dev, pets } = fixture();
        const params = { path: { projectId: dev.projectId } };
        await signIn(page, `${dev.dashboardUrl}/projects/${dev.projectId}/settings/redirects`, dev.apiKey);
        const form = page.getByLabel('A slash at the end');
        expect(await form.inputValue()).toBe('auto');
        await form.selectOption('never');
        await page.getByRole('status').getByText('Addresses changed.').waitFor();
        expect((await pets.GET('/v1/projects/{projectId}', { params })).data?.trailingSlash).toBe('never');
        await page.reload();
        expect(await form.inputValue()).toBe('never');
        await pets.PATCH('/v1/projects/{projectId}', { params, body: { trailingSlash: 'auto' } });
      }));

    async function readPlatformUrl(): Promise<string> {
      const { dev, pets } = fixture();
      const { data } = await pets.GET('/v1/projects/{projectId}', { params: { path: { projectId: dev.projectId } } });
      return data?.platformUrl ?? '';
    }

    async function readConfig(): Promise<unknown> {
      const { dev, pets } = fixture();
      const { data } = await pets.GET('/v1/projects/{projectId}/domain-config', {
        params: { path: { projectId: dev.projectId } },
      });
      return data;
    }
  });
}
