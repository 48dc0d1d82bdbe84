import { expect, it } from '@jest/globals';
import { datedFields } from './dated-fields.js';

it('are the same list for a second, and then have another time', () => {
  const first = datedFields(1_700_000_000_000);
  expect(first).toEqual([':status', '200', 'date', 'Tue, 14 Nov 2023 22:13:20 GMT']);
  expect(datedFields(1_700_000_000_999)).toBe(first);
  expect(datedFields(1_700_000_001_000)).toEqual([':status', '200', 'date', 'Tue, 14 Nov 2023 22:13:21 GMT']);
});
