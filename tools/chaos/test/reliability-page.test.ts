import { expect, it } from '@jest/globals';
import { readPage, readRecords } from '@pets/bench/measured';
import { chaosRecord } from '../src/record.js';
import { renderReliability } from '../src/reliability-page.js';

it('docs/reliability.md is what the records say: a run of "npm run chaos -- SUITE" writes it', () => {
  const page = readPage('reliability');
  expect(page).toBe(renderReliability(page, readRecords('chaos', chaosRecord)));
});
