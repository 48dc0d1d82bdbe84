import { expect, it } from '@jest/globals';
import packets from 'dns-packet';
import { readReply } from './dns-message.js';

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
