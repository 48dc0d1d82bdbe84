import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queues } from '@pets/contracts';
import { chromiumLaunch, describeWhen, isInstalled, missingBrowser } from '@pets/testing';
import { chromium, type Browser, type Page } from 'playwright-core';
import { ADMIN_TOKEN, startQueueBoardFixture } from './queue-board-fixture.js';

const STEP_LIMIT_MS = 15_000;

const missing = isInstalled('redis-server') ? missingBrowser : 'redis-server is not installed';
const stores = ['Redis', 'PostgreSQL'] as const;

describeWhen(describe, 'the board of queues in a browser', missing, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch(chromiumLaunch());
  });
  afterAll(() => browser.close());

  describe.each(stores)('on %s', (store) => {
    let fixture: Awaited<ReturnType<typeof startQueueBoardFixture>>;
    beforeAll(async () => void (fixture = await startQueueBoardFixture(store)));
    afterAll(() => fixture.close());

    it(
      'shows queues and jobs, and asks nobody else for anything',
      async () => {
        const context = await browser.newContext({
          locale: 'en-US',
          httpCredentials: { username: 'admin', password: ADMIN_TOKEN },
        });
        context.setDefaultTimeout(STEP_LIMIT_MS);
        const page = await context.newPage();
        const { url } = fixture.api;
        const problems = await watch(page, url);
        await page.goto(`${url}/admin/queues`);
        for (const name of Object.values(queues)) await page.getByRole('link', { name, exact: true }).first().waitFor();
        await openSettings(page);
        await page.getByRole('link', { name: 'domain-checks', exact: true }).first().click();
        await page.getByText('docs.example.com').waitFor();
        expect(
          await page.getByRole('button', { name: /pause|resume|empty|obliterate|add job|retry|remove/i }).count(),
        ).toBe(0);
        await page.getByText('probe-edge-11111111').first().click();
        await page.waitForURL(/probe-edge-11111111/);
        await page.reload();
        await page.getByText('docs.example.com').waitFor();
        expect(problems).toEqual([]);
        expect(await context.cookies()).toEqual([]);
        await context.close();
      },
      4 * STEP_LIMIT_MS,
    );
  });
});

/** Lists what the browser refuses, what fails, and whoever else is asked. */
async function watch(page: Page, url: string): Promise<readonly string[]> {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/admin/queues`) && !request.url().startsWith('data:'))
      problems.push(`asks for ${request.url()}`);
  });
  const tell = 'console.error(`refused by ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`)';
  await page.addInitScript({ content: `addEventListener('securitypolicyviolation', (event) => ${tell});` });
  return problems;
}

/** Its lists bring along a style element of their own. */
async function openSettings(page: Page): Promise<void> {
  await page.locator('header button').last().click();
  await page.getByRole('dialog').getByRole('combobox').first().click();
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('option').first().waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}
