import { expect, it } from '@jest/globals';
import { readPage } from '@pets/bench/measured';
import { readChaosRecords, renderReliability } from '../src/record.js';

it('docs/reliability.md agrees with the records: npm run chaos -- SUITE writes it', () => {
  const page = readPage('reliability');
  expect(page).toBe(renderReliability(page, readChaosRecords()));
});
