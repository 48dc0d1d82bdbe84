import { expect, it } from '@jest/globals';
import type { DnsQuestionType } from '@pets/contracts';
import packets, { type Answer } from 'dns-packet';
import { decodeReply } from './decode-reply.js';
import { presentRecord, readReply } from './dns-message.js';

/** A reply with SERVFAIL and options of EDNS. */
function replyWith(...options: readonly (readonly [code: number, data: Buffer])[]): Buffer {
  const opt = { type: 'OPT' as const, name: '.' as const, udpPayloadSize: 1_232, extendedRcode: 0, ednsVersion: 0 };
  const encoded = options.map(([code, data]) => ({ code: code as 12, data }));
  const additionals = [{ ...opt, flags: 0, flag_do: false, options: encoded }];
  return packets.encode({
    type: 'response',
    id: 0,
    flags: 2,
    questions: [{ name: 'a.example', type: 'A' }],
    additionals,
  });
}

const error = (code: number, text = ''): readonly [number, Buffer] => [
  15,
  Buffer.concat([Buffer.from([code >> 8, code]), Buffer.from(text)]),
];
const errorOf = (bytes: Buffer) => {
  const reply = readReply(bytes, { name: 'a.example', type: 'A', isRecursive: true });
  return reply.kind === 'answer' && reply.answer.kind === 'failed' ? reply.answer.error : reply;
};

it.each<[string, ReturnType<typeof error>[], string]>([
  ['no option', [], 'SERVFAIL'],
  ['a code', [error(6)], 'SERVFAIL (DNSSEC Bogus)'],
  ['a code and a text', [error(7, 'since yesterday')], 'SERVFAIL (Signature Expired: since yesterday)'],
  ['a text that ends with NUL', [error(9, 'no DNSKEY\0')], 'SERVFAIL (DNSKEY Missing: no DNSKEY)'],
  ['a code without a name', [error(4_000)], 'SERVFAIL (extended error 4000)'],
  ['several', [error(22), error(23, '192.0.2.1')], 'SERVFAIL (No Reachable Authority; Network Error: 192.0.2.1)'],
  ['another option beside it', [[12, Buffer.alloc(8)], error(10)], 'SERVFAIL (RRSIGs Missing)'],
  ['control characters', [error(6, 'a\nb\u001b[31m')], String.raw`SERVFAIL (DNSSEC Bogus: a\010b\027[31m)`],
])('%s explains a failure', (_case, options, text) => {
  expect(errorOf(replyWith(...options))).toBe(text);
});

it('bounds what a stranger can say', () => {
  const many = Array.from({ length: 50 }, () => error(6, 'x'.repeat(20)));
  expect(errorOf(replyWith(...many))).toBe(
    `SERVFAIL (${Array(4)
      .fill(`DNSSEC Bogus: ${'x'.repeat(20)}`)
      .join('; ')})`,
  );
  expect(JSON.stringify(errorOf(replyWith(error(6, 'x'.repeat(900))))).length).toBeLessThan(200);
});

it.each([
  ['a code that is cut', [15, Buffer.from([6])] as const],
  ['no code at all', [15, Buffer.alloc(0)] as const],
])('takes %s for a malformed reply', (_case, option) => {
  expect(errorOf(replyWith(option))).toBe('the reply is malformed');
});

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
