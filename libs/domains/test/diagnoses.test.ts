import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
// Loads the rest of the code outside of the test, as other tests do.
import '../src/index.js';

it('docs/diagnoses.md is what `npm run generate` makes of the code', async () => {
  // It evaluates the examples when it is loaded: outside of a test, `npm run mutate` would run every test for these changes.
  const { renderDiagnoses } = await import('../src/issues/diagnoses-page.js');
  const page = readFileSync(join(import.meta.dirname, '../../../docs/diagnoses.md'), 'utf8');
  expect(page).toBe(renderDiagnoses());
});
