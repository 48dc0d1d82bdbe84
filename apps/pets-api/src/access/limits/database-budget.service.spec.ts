import { describe, expect, it } from '@jest/globals';
import { evaluateImport, secondsLeftOfDay, type ImportVerdict } from './database-budget.service.js';

const limits = { databaseBytes: 1_000, importBytesPerDay: 500 };
const MOST = 300;

describe('an import', () => {
  it.each<[string, number | null, [database: number, today: number], ImportVerdict]>([
    ['that fits', 200, [0, 0], { kind: 'admitted', bytes: 200, limitedBy: null }],
    ['that fits exactly', 200, [800, 300], { kind: 'admitted', bytes: 200, limitedBy: null }],
    ['over the day', 200, [0, 301], { kind: 'refused', limitedBy: 'importBytesPerDay' }],
    ['over the storage', 200, [801, 0], { kind: 'refused', limitedBy: 'databaseBytes' }],
    ['of any length', null, [0, 0], { kind: 'admitted', bytes: MOST, limitedBy: null }],
    [
      'of any length, with little left',
      null,
      [0, 400],
      { kind: 'admitted', bytes: 100, limitedBy: 'importBytesPerDay' },
    ],
    ['of any length, with nothing left', null, [1_200, 0], { kind: 'refused', limitedBy: 'databaseBytes' }],
    ['that is too large for any', 9_000, [0, 0], { kind: 'admitted', bytes: MOST, limitedBy: null }],
  ])('%s', (_what, declared, [databaseBytes, importBytesPerDay], verdict) => {
    expect(evaluateImport(declared, MOST, { databaseBytes, importBytesPerDay }, limits)).toEqual(verdict);
  });

  it('may be sent again on the next day', () => {
    expect(secondsLeftOfDay(new Date('2026-11-02T23:59:58.500Z'))).toBe(2);
    expect(secondsLeftOfDay(new Date('2026-11-02T00:00:00Z'))).toBe(86_400);
  });
});
