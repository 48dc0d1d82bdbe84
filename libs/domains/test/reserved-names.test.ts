import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { renderReservedNames } from '../src/reserved-names-page.js';

it('docs/reserved-names.md is what `npm run generate` makes of the code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reserved-names.md'), 'utf8');
  expect(page).toBe(renderReservedNames());
});
