import { describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { devices, findProblems, type Look } from '../looks.js';
import { findSeriousViolations } from '../serious-violations.js';
import { withPage } from '../with-page.js';

export function describeReference(fixture: () => DashboardFixture): void {
  const open = (test: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) =>
    withPage(
      fixture(),
      async (page) => {
        const { apiUrl } = fixture().dev;
        const others: string[] = [];
        page.on('request', (request) => void (new URL(request.url()).origin === apiUrl || others.push(request.url())));
        await page.goto(`${apiUrl}/docs`);
        await test(page);
        expect(others).toEqual([]);
      },
      options,
    );

  describe('the API reference', () => {
    it.each(devices)('is accessible and fits the screen of a %s, with everything open', (device, options, looks) =>
      open(async (page) => {
        await page.getByRole('button', { name: 'Try it: Add an animal' }).click();
        await page.getByRole('form', { name: 'Request: Add an animal' }).waitFor();
        const sizes = looks.map((look): Look => ({ ...look, checks: 'none' }));
        expect(await findProblems(page, 'reference', sizes, { fullPage: false })).toEqual([]);
        await page.evaluate(() => {
          for (const folded of document.querySelectorAll('details')) folded.open = true;
        });
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        if (device === 'desktop') {
          expect(await findSeriousViolations(page)).toEqual([]);
          await page.emulateMedia({ colorScheme: 'dark' });
          expect(await findSeriousViolations(page, { runOnly: ['color-contrast'] })).toEqual([]);
          return;
        }
        // Of ten thousand elements, whose colours are those of the desktop, the contrast takes three quarters of the time.
        expect(await findSeriousViolations(page, { except: ['color-contrast'] })).toEqual([]);
        await page.getByRole('searchbox').fill('certificate');
        await page.getByRole('status').getByText('results').waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await findSeriousViolations(page, { within: '[aria-label="Search results"]' })).toEqual([]);
        }
      }, options),
    );

    it('sends a request with the entered key, and no example of a tracing header', () =>
      open(async (page) => {
        await page.getByRole('button', { name: 'Try it: Add an animal' }).click();
        const form = page.getByRole('form', { name: 'Request: Add an animal' });
        await form.getByLabel('API key').fill(fixture().dev.apiKey);
        await form.getByLabel('Body').fill('{"name": "Exact", "categoryId": 9007199254740993}');
        const sent = page.waitForRequest((request) => request.url().endsWith('/v1/pets'));
        await form.getByRole('button', { name: 'Send POST' }).click();
        expect(Object.keys((await sent).headers())).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(?:x-request-id|traceparent|idempotency-key)$/)]),
        );
        await form.getByText('201 Created').waitFor();
        await form.getByText('"categoryId": 9007199254740993').waitFor();
        const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
        expect(stored).not.toContain(fixture().dev.apiKey);
      }));

    it('finds an operation by the keyboard', () =>
      open(async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('verify dns');
        const results = page.getByRole('region', { name: 'Search results' });
        await results.getByRole('link', { name: 'Check a domain’s DNS now' }).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL(/#verifyDomain$/);
      }));

    it('shows samples for this server in the chosen language', () =>
      open(async (page) => {
        const samples = page.locator('#listProjects .samples');
        await samples.getByText(`curl "${fixture().dev.apiUrl}/v1/projects"`).waitFor();
        await samples.getByRole('button', { name: 'Python' }).click();
        await samples.getByText('requests.get(').waitFor();
        await page.locator('#getProject').getByText('requests.get(').waitFor();
        expect(await samples.getByText('curl "').isVisible()).toBe(false);
      }));

    it('keeps the chosen theme', () =>
      open(async (page) => {
        const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await background();
        await page.getByRole('button', { name: 'Dark mode' }).click();
        const dark = await background();
        expect(dark).not.toBe(light);
        await page.reload();
        await page.getByRole('button', { name: 'Light mode' }).waitFor();
        expect(await background()).toBe(dark);
      }));

    it('can be read without scripts', () =>
      open(
        async (page) => {
          await page.getByRole('heading', { name: 'Quick start' }).waitFor();
          expect(await page.getByRole('button').count()).toBe(0);
        },
        { javaScriptEnabled: false },
      ));
  });
}
