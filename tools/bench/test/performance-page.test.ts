import { expect, it } from '@jest/globals';
import { benchRecord } from '../src/measured/bench-record.js';
import { renderPerformance } from '../src/measured/performance-page.js';
import { readPage, readRecord } from '../src/measured/store.js';
import { quickRecord } from '../src/quick/quick-record.js';

it('docs/performance.md agrees with the records: npm run bench and npm run bench -- quick --record write it', () => {
  const page = readPage('performance');
  const records = { bench: readRecord('bench', benchRecord), quick: readRecord('quick', quickRecord) };
  expect(page).toBe(renderPerformance(page, records));
});
