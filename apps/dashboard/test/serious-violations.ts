import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds serious or critical on a page, as `rule: elements`. */
export async function findSeriousViolations(page: Page, options: { runOnly?: string[] } = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: typeof axe }).axe.run(given),
    options,
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
