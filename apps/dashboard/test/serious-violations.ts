import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface ViolationOptions {
  /** The only rules to check. Default: all. */
  readonly runOnly?: readonly string[];
  /** Rules that are not checked. */
  readonly except?: readonly string[];
  /** Selector of the part of the page that is checked. Default: all of it. */
  readonly within?: string;
}

/** Finds serious and critical violations on a page with axe, as `rule: elements`. */
export async function findSeriousViolations(page: Page, options: ViolationOptions = {}): Promise<string[]> {
  const violations = await runAxe(page, options);
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(textOf);
}

/** Finds all violations on a page with axe, as `rule: elements`. */
export async function findViolations(page: Page, options: ViolationOptions = {}): Promise<string[]> {
  return (await runAxe(page, options)).map(textOf);
}

function textOf({ id, nodes }: axe.Result): string {
  return `${id}: ${nodes.map(({ html }) => html).join(' ')}`;
}

async function runAxe(page: Page, { runOnly, except = [], within }: ViolationOptions): Promise<axe.Result[]> {
  const isLoaded = await page.evaluate(() => 'axe' in globalThis);
  if (!isLoaded) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    // What is not read here is not made: a selector of each element that passed takes longer than the rules.
    resultTypes: ['violations'],
    selectors: false,
    ...(runOnly && { runOnly: [...runOnly] }),
    rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
  };
  const { violations } = await page.evaluate(
    ({ selector, given }) => {
      const part = selector === null ? document : document.querySelector(selector);
      if (part === null) throw new Error(`The page has no ${selector}.`);
      return (globalThis as unknown as { axe: typeof axe }).axe.run(part, given);
    },
    { selector: within ?? null, given: options },
  );
  return violations;
}
