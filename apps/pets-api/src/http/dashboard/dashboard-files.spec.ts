import { describe, expect, it } from '@jest/globals';
import { chooseCoding, type DashboardFile } from './dashboard-files.js';

const bytes = Buffer.from('x');
const both: DashboardFile = { contentType: 'text/css', plain: bytes, encoded: { br: bytes, gzip: bytes } };
const none: DashboardFile = { ...both, encoded: {} };

describe('chooseCoding', () => {
  it.each([
    ['gzip, deflate, br', both, 'br'],
    ['GZIP', both, 'gzip'],
    ['br;q=0, gzip;q=0.5', both, 'gzip'],
    ['br; q=0.0, gzip; q=0', both, null],
    ['identity', both, null],
    [undefined, both, null],
    ['br;q=0.5, gzip', both, 'gzip'],
    ['*', both, 'br'],
    ['identity, gzip;q=0.5', both, null],
    ['identity;q=0, br;q=0', none, null],
    ['br, gzip', none, null],
  ])('accept-encoding: %s', (header, file, coding) => expect(chooseCoding(file, header)).toBe(coding));
});
