import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it('docs/diagnoses.md is what `npm run generate` makes of the code', async () => {
  // Loading it evaluates the examples: outside of a test, `npm run mutate` would count that for every test.
  const { renderDiagnoses } = await import('../src/diagnoses-page.js');
  const page = readFileSync(join(import.meta.dirname, '../../../docs/diagnoses.md'), 'utf8');
  expect(page).toBe(renderDiagnoses());
});
