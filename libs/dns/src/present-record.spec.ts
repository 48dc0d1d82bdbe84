import { expect, it } from '@jest/globals';
import { presentRecord } from './present-record.js';

const valueOf = (record: Parameters<typeof presentRecord>[0]) => presentRecord(record)[0]?.value;

it.each([
  [
    'a host name in lower case, without its final dot',
    { type: 'CNAME', data: 'Docs.Example.NET.' },
    'docs.example.net',
  ],
  [
    'the strings of a TXT as one',
    { type: 'TXT', data: [Buffer.from('gr\u00fc').subarray(0, 3), Buffer.from([0xbc])] },
    'gr\u00fc',
  ],
  ['control characters spelled out', { type: 'TXT', data: 'a\u0000b\n\u007f' }, 'a\\000b\\010\\127'],
  ['those of a host name as well', { type: 'CNAME', data: 'a\u0000.example.net' }, 'a\\000.example.net'],
] as const)('a record is shown with %s', (_name, record, shown) => {
  expect(valueOf({ name: 'x', ...record } as Parameters<typeof presentRecord>[0])).toBe(shown);
});
