import { expect, it } from '@jest/globals';
import { benchRecord, readPage, readRecord } from '../src/measured/record.js';
import { renderPerformance } from '../src/measured/performance-page.js';
import { quickRecord } from '../src/quick/reading.js';

it('docs/performance.md agrees with the records: npm run bench and npm run bench -- quick --record write it', () => {
  const page = readPage('performance');
  const records = { bench: readRecord('bench', benchRecord), quick: readRecord('quick', quickRecord) };
  expect(page).toBe(renderPerformance(page, records));
});
