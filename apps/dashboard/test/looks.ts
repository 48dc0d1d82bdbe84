import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { findSeriousViolations, findViolations } from './serious-violations.js';
import { findSmallTargets } from './small-targets.js';

/** Only for `npm run screenshots`, which copies them into the docs: a full page takes longer than all its checks. */
const screenshotFolder =
  process.env['PETS_SCREENSHOTS'] === 'true' ? join(repositoryRoot, 'test-results/dashboard') : null;

/** Checks that axe makes: the markup differs by width alone, and the colours by theme. */
type Checks = 'all' | 'contrast' | 'none';

/** One way in which a page is looked at. */
export interface Look {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly checks: Checks;
}

const touch = { hasTouch: true, isMobile: true };
const [desktop, phone] = [
  { width: 1440, height: 900 },
  { width: 390, height: 740 },
];

const desktopLooks: readonly Look[] = [
  { name: 'desktop-light', size: desktop, colorScheme: 'light', checks: 'all' },
  { name: 'desktop-dark', size: desktop, colorScheme: 'dark', checks: 'contrast' },
  { name: 'tablet-light', size: { width: 820, height: 900 }, colorScheme: 'light', checks: 'none' },
  // 200 % zoom of a window of 1280 by 800.
  { name: 'zoomed-light', size: { width: 640, height: 400 }, colorScheme: 'light', checks: 'none' },
];
const phoneLooks: readonly Look[] = [
  { name: 'phone-light', size: phone, colorScheme: 'light', checks: 'all' },
  { name: 'phone-dark', size: phone, colorScheme: 'dark', checks: 'contrast' },
  { name: 'narrow-light', size: { width: 320, height: 740 }, colorScheme: 'light', checks: 'none' },
];

/** A page is loaded once for all looks of a device, which change while it is open. */
export const devices: readonly [string, BrowserContextOptions, readonly Look[]][] = [
  ['desktop', { viewport: desktop }, desktopLooks],
  ['phone', { viewport: phone, ...touch }, phoneLooks],
];

/** The looks in which axe checks a page: one size in each theme. */
export function themesOf(looks: readonly Look[]): readonly Look[] {
  return looks.filter(({ checks }) => checks !== 'none');
}

interface ProblemOptions {
  /** Whether a screenshot shows all of the page. */
  readonly fullPage?: boolean;
  /** Whether moderate and minor violations count, too. */
  readonly isStrict?: boolean;
}

/**
 * Looks at a page, or at the dialog that is open, in several ways, and shows it at last as in the first of them.
 *
 * @param name the name of the page, for messages and screenshots
 * @returns what does not fit, is too small to touch, or is a violation of accessibility, by default a serious one
 */
export async function findProblems(
  page: Page,
  name: string,
  looks: readonly Look[],
  { fullPage = true, isStrict = false }: ProblemOptions = {},
): Promise<string[]> {
  const problems: string[] = [];
  for (const look of looks) {
    await show(page, look);
    problems.push(...(await findProblemsOf(page, `${name}-${look.name}`, look.checks, { fullPage, isStrict })));
  }
  const [first] = looks;
  if (first !== undefined) await show(page, first);
  return problems;
}

async function show(page: Page, { size, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  // Scripts that follow the size or the theme have run, and what they changed is laid out.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function findProblemsOf(
  page: Page,
  name: string,
  checks: Checks,
  { fullPage, isStrict }: Required<ProblemOptions>,
): Promise<string[]> {
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' });
  if (screenshotFolder !== null) {
    await mkdir(screenshotFolder, { recursive: true });
    // Chromium on a busy machine sometimes fails one capture ("Unable to capture screenshot"); the next one works.
    await waitUntil(() => page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage }), {
      timeoutMs: 30_000,
      message: 'the screenshot',
    });
  }
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if ((width[0] ?? 0) > (width[1] ?? 0)) return [`${name} is ${width.join(' of ')} wide`];
  const current = await page
    .locator('nav [aria-current=page]')
    .evaluateAll((links) =>
      links.every((link) => link.getBoundingClientRect().left >= 0 && link.getBoundingClientRect().right <= innerWidth),
    );
  if (!current) return [`${name} does not show where it is in the navigation`];
  const cut = await findCutControls(page);
  if (cut.length > 0) return cut.map((control) => `${name} cuts off ${control}`);
  const isOurs = /^\/(?:dashboard|docs|setup)\b/.test(new URL(page.url()).pathname);
  const small = isOurs && /-(?:phone|narrow)-/.test(name) ? await findSmallTargets(page) : [];
  if (small.length > 0) return small.map((target) => `${name} has a small target: ${target}`);
  if (checks === 'none') return [];
  const options = checks === 'contrast' ? { runOnly: ['color-contrast'] } : {};
  const found = await (isStrict ? findViolations(page, options) : findSeriousViolations(page, options));
  return found.map((violation) => `${name}: ${violation}`);
}

/** Controls of the content that reach beyond their card or the page, where only the navigation scrolls. */
function findCutControls(page: Page): Promise<string[]> {
  return page.locator('main :is(a[href], button, input, select)').evaluateAll((controls) =>
    controls
      .filter((control) => control instanceof HTMLElement)
      .filter((control) => control.checkVisibility({ visibilityProperty: true }) && control.closest('nav') === null)
      .filter((control) => {
        const edge = control.closest('.card, .fold, main')?.getBoundingClientRect().right ?? innerWidth;
        return control.getBoundingClientRect().right > edge + 0.5;
      })
      .map((control) => control.innerText),
  );
}
