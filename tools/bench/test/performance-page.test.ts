import { expect, it } from '@jest/globals';
import { renderPerformance } from '../src/measured/performance-page.js';
import { benchRecord } from '../src/measured/record.js';
import { readPage, readRecords } from '../src/measured/store.js';

it('docs/performance.md agrees with the records: npm run bench -- SUITE writes it', () => {
  const page = readPage('performance');
  expect(page).toBe(renderPerformance(page, readRecords('bench', benchRecord)));
});
