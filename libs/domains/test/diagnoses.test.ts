import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { renderDiagnoses } from '../src/issues/diagnoses-page.js';

it('docs/diagnoses.md is what `npm run generate` makes of the code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/diagnoses.md'), 'utf8');
  expect(page).toBe(renderDiagnoses());
});
