import { expect } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { DashboardFixture } from './dashboard-fixture.js';

const STEP_LIMIT_MS = 15_000;

export interface VisitOptions extends BrowserContextOptions {
  /** What this story brings about on purpose, as the console words it. */
  readonly expectedErrors?: RegExp;
}

/**
 * A story told at a browser of its own. It fails when the page does, whatever the story looks at: when a script throws,
 * the page's policy refuses anything, or an error is written to the console. Answers such as 403 are the browser's to
 * note there, and are what some stories are about.
 */
export async function asVisitor(
  { browser }: DashboardFixture,
  tell: (page: Page) => Promise<void>,
  { expectedErrors, ...options }: VisitOptions = {},
): Promise<void> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    const isExpected = expectedErrors?.test(message.text()) === true;
    if (message.type() === 'error' && !isAnswer && !isExpected) problems.push(message.text());
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`refused by ${violatedDirective}: ${blockedURI} ${sample}`),
    );
  });
  try {
    await tell(page);
    expect(problems).toEqual([]);
    expect(await context.cookies()).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Signs in as a person does, wherever the page is; without an address at the start page. */
export async function signIn(page: Page, url: string, apiKey: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Signed in as the Pro organization, at the domains of its project. */
export async function openDomains(page: Page, { dev }: DashboardFixture): Promise<void> {
  await signIn(page, domainsUrl(dev), dev.apiKey);
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
}

export function domainsUrl({ dashboardUrl, projectId }: { dashboardUrl: string; projectId: string }): string {
  return `${dashboardUrl}/projects/${projectId}/settings/domains`;
}

/** By the dialog, to the page of the new domain. */
export async function addDomain(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add domain' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Domain' }).fill(name);
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** The value that the first record to create must have, as the page shows it. */
export async function readTarget(page: Page): Promise<string> {
  const row = page.getByRole('region', { name: 'DNS records to create' }).getByRole('row').nth(1);
  return row.getByRole('cell').nth(2).locator('.value').innerText();
}

/** Clicks Refresh until something is there, as one does on a page that no event brings up to date. */
export async function refreshUntil(page: Page, count: () => Promise<number>): Promise<void> {
  await waitUntil(
    async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await count()) > 0;
    },
    { timeoutMs: STEP_LIMIT_MS, message: 'what a refresh was to show' },
  );
}
