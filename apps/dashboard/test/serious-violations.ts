import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds serious or critical on a page, as `rule: elements`. */
export async function findSeriousViolations(page: Page, { runOnly }: { runOnly?: string[] } = {}): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in globalThis);
  if (!isLoaded) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: typeof axe }).axe.run(given),
    // What is not read here is not made: a selector of each element that passed takes longer than the rules.
    { resultTypes: ['violations' as const], selectors: false, ...(runOnly && { runOnly }) },
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
