import { describe, expect, it } from '@jest/globals';
import { renderPerformance, renderPlots } from '../src/measured/performance-page.js';
import { benchRecord } from '../src/measured/record.js';
import { readPage, readPlots, readRecords } from '../src/measured/store.js';

describe('docs/performance.md', () => {
  const records = readRecords('bench', benchRecord);

  it('is what the records say: a run of "npm run bench -- SUITE" writes it', () => {
    const page = readPage('performance');
    expect(page).toBe(renderPerformance(page, records));
  });

  it('has the plots that its records make, and no others', () => {
    expect(Object.fromEntries(readPlots())).toEqual(Object.fromEntries(renderPlots(records)));
  });
});
