import { expect, it } from '@jest/globals';
import { chooseCoding } from './choose-coding.js';
import type { DashboardFile } from './dashboard-files.js';

const bytes = Buffer.from('x');
const both: DashboardFile = { contentType: 'text/css', plain: bytes, encoded: { br: bytes, gzip: bytes } };
const none: DashboardFile = { ...both, encoded: {} };

it.each([
  ['gzip, deflate, br', both, 'br'],
  ['GZIP', both, 'gzip'],
  ['br;q=0, gzip;q=0.5', both, 'gzip'],
  ['br; q=0.0, gzip; q=0', both, null],
  ['identity', both, null],
  [undefined, both, null],
  ['br, gzip', none, null],
])('%s', (header, file, coding) => expect(chooseCoding(file, header)).toBe(coding));
