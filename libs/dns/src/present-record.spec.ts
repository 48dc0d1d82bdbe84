import { expect, it } from '@jest/globals';
import type { DnsQuestionType } from '@pets/contracts';
import packets, { type Answer } from 'dns-packet';
import { decodeReply } from './decode-reply.js';
import { presentRecord } from './present-record.js';

function valueOf(answer: Answer): string | undefined {
  const [record] = decodeReply(packets.encode({ type: 'response', answers: [answer] })).answers;
  return record && presentRecord(record, answer.type as DnsQuestionType)[0]?.value;
}

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
  [
    'the flags, the tag and the value of a CAA record as a zone file has them',
    { type: 'CAA', data: { flags: 126, tag: 'a "b', value: 'c\t"\\' } },
    '126 a\\032\\034b "c\\009\\034\\092"',
  ],
  ['an address', { type: 'A', data: '192.0.2.1' }, '192.0.2.1'],
  ['an IPv6 address in its short form', { type: 'AAAA', data: '2001:DB8:0:0:0:0:0:7' }, '2001:db8::7'],
  ['a name server', { type: 'NS', data: 'Ns1.Example.NET' }, 'ns1.example.net'],
  [
    'all of an SOA',
    {
      type: 'SOA',
      data: { mname: 'A.b', rname: 'c.D', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 4294967295 },
    },
    'a.b c.d 1 2 3 4 4294967295',
  ],
  ['those of a host name as well', { type: 'CNAME', data: 'a\u0000.example.net' }, 'a\\000.example.net'],
] as const)('a record is shown with %s', (_name, record, shown) => {
  expect(valueOf({ name: 'x', ...record } as Answer)).toBe(shown);
});
