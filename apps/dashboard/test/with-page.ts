import { expect } from '@jest/globals';
import type { Role } from '@pets/contracts';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { DashboardFixture } from './dashboard-fixture.js';

/** For what takes a second on an idle machine: other suites run beside this one. */
const STEP_LIMIT_MS = 30_000;

export interface PageOptions extends BrowserContextOptions {
  /** Console errors that the test causes on purpose. */
  readonly expectedErrors?: RegExp;
}

/**
 * Runs a test in its own browser context. The test also fails when a script throws, the content security policy refuses
 * anything, the console shows an error, or the dashboard sets a cookie other than that of the session. Failed requests (4xx),
 * which the browser writes to the console, are allowed: some tests cause them.
 */
export async function withPage(
  { browser, dev }: DashboardFixture,
  test: (page: Page) => Promise<void>,
  { expectedErrors, ...options }: PageOptions = {},
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
    const isFailedRequest = message
      .text()
      .startsWith('Failed to load resource: the server responded with a status of 4');
    const isExpected = expectedErrors?.test(message.text()) === true;
    if (message.type() === 'error' && !isFailedRequest && !isExpected) problems.push(message.text());
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`refused by ${violatedDirective}: ${blockedURI} ${sample}`),
    );
  });
  try {
    await test(page);
    expect(problems).toEqual([]);
    const { hostname } = new URL(dev.dashboardUrl);
    for (const cookie of (await context.cookies()).filter(({ domain }) => domain === hostname))
      expect(cookie).toMatchObject({ name: '__Host-session', path: '/', ...unreadable });
  } finally {
    // A request that a test answers itself may be under way.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
}

const unreadable = { httpOnly: true, secure: true, sameSite: 'Strict' } as const;

/** Opens a URL and signs in with the form. */
export async function signIn(page: Page, url: string, apiKey: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Account of' }).waitFor();
}

/** Opens the link of an invitation and signs in with the identity provider. */
export async function signInAsPerson(
  page: Page,
  { dev, pets, provider }: DashboardFixture,
  { name, role }: { readonly name: string; readonly role: Role },
): Promise<void> {
  provider.setAccount(name, { name });
  const { data: invitation } = await pets.POST('/v1/invitations', { body: { name, role } });
  await page.goto(invitation?.url ?? dev.dashboardUrl);
  await page.getByRole('button', { name: 'Sign in with' }).click();
  await page.getByLabel('Account').fill(name);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Account of' }).waitFor();
}

/** Signs in to the Pro organization and opens the domains of its project. */
export async function openDomains(page: Page, { dev }: DashboardFixture): Promise<void> {
  await signIn(page, domainsUrl(dev), dev.apiKey);
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
}

export function domainsUrl({ dashboardUrl, projectId }: { dashboardUrl: string; projectId: string }): string {
  return `${dashboardUrl}/projects/${projectId}/settings/domains`;
}

/** Adds a domain with the dialog, which then opens the page of the domain. */
export async function addDomain(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add domain' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Domain' }).fill(name);
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** A line of the list of DNS records, such as `Add`, of a type. */
export function zoneLine(page: Page, action: string, type: string): Locator {
  const lines = page.getByRole('list', { name: 'DNS records' }).getByRole('listitem');
  return lines.filter({ hasText: new RegExp(`^${action}`) }).filter({ has: page.getByText(type, { exact: true }) });
}

/** The value of the first required record, as the page shows it. */
export function readTarget(page: Page): Promise<string> {
  const lines = page.getByRole('list', { name: 'DNS records' }).locator('li:not([data-action=delete])');
  return lines.locator('[data-field=value] .entry .value').first().innerText();
}

/** Resolves when the page of a domain shows the result of its first check. */
export async function untilChecked(page: Page): Promise<void> {
  await page.getByText(/^Checked /).waitFor();
}

/** Opens a folded part of the page. */
export async function unfold(page: Page, title: string): Promise<void> {
  await page
    .locator('summary')
    .filter({ has: page.getByRole('heading', { name: title, exact: true }) })
    .click();
}

/** The text that a screen reader reads with the field. */
export function describedText(field: Locator): Promise<string> {
  return field.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );
}
