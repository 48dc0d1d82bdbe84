import { describe, expect, it } from '@jest/globals';
import packets, { type Answer } from 'dns-packet';
import { decodeReply } from './decode-reply.js';
import { readReply } from './dns-message.js';

const NAME = 'a.example';
const HEADER_BYTES = 12;
const question = { name: NAME, type: 'TXT', isRecursive: true } as const;

/** A reply of raw records behind the usual question. */
function replyOf(records: readonly Buffer[], name = NAME): Buffer {
  const head = packets.encode({ type: 'response', questions: [{ name, type: 'TXT' }] });
  const bytes = Buffer.concat([head, ...records]);
  bytes.writeUInt16BE(records.length, 6);
  return bytes;
}

const pointer = (target: number) => Buffer.from([0xc0 | (target >> 8), target & 0xff]);
const record = (owner: Buffer, type: number, data: Buffer) => {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
};
const TXT = 16;
const CNAME = 5;
const atQuestion = pointer(HEADER_BYTES);
const answerTo = (records: readonly Buffer[]) => readReply(replyOf(records), question);
const malformed = { kind: 'answer', answer: { kind: 'failed', error: 'the reply is malformed' } };

describe('decodeReply', () => {
  it('reads what an encoder writes', () => {
    const answers: Answer[] = [
      { name: 'A.Example', type: 'CNAME', ttl: 5, data: 'B.Example' },
      { name: 'b.example', type: 'TXT', ttl: 6, data: ['one', 'two'] },
    ];
    const reply = decodeReply(packets.encode({ type: 'response', flags: packets.AUTHORITATIVE_ANSWER | 3, answers }));
    expect(reply).toMatchObject({ rcode: 3, extendedRcode: 0, isTruncated: false, isAuthoritative: true });
    expect(reply.answers.map(({ owner, type, ttl }) => [owner, type, ttl])).toEqual([
      ['a.example', CNAME, 5],
      ['b.example', TXT, 6],
    ]);
    expect(reply.answers[0]?.data.nameAt(0)).toBe('b.example');
  });

  it('reads labels before a pointer', () => {
    const owner = Buffer.concat([Buffer.from([1, 0x58]), atQuestion]);
    expect(decodeReply(replyOf([record(owner, TXT, Buffer.from([0]))])).answers[0]?.owner).toBe('x.a.example');
  });

  it('takes a dot within a label for no boundary between two', () => {
    const data = Buffer.concat([Buffer.from([4]), Buffer.from('b.c\\'), Buffer.from([0])]);
    expect(decodeReply(replyOf([record(atQuestion, CNAME, data)])).answers[0]?.data.nameAt(0)).toBe('b\\.c\\\\');
  });

  it.each<[string, Buffer]>([
    ['a pointer to itself', pointer(HEADER_BYTES + NAME.length + 6)],
    ['a pointer forward', pointer(0x3ff)],
    ['a label of reserved length', Buffer.from([0x80, 0])],
    ['a name without an end', Buffer.from([63])],
  ])('refuses %s', (_case, owner) => {
    expect(answerTo([record(owner, TXT, Buffer.from([0]))])).toEqual(malformed);
  });

  it('refuses a name of more than 255 bytes, however it is put together', () => {
    const first = record(
      Buffer.concat([Buffer.alloc(240).fill(Buffer.from([1, 0x61])), Buffer.from([0])]),
      TXT,
      Buffer.from([0]),
    );
    const long = Buffer.concat([
      Buffer.alloc(20).fill(Buffer.from([1, 0x62])),
      pointer(HEADER_BYTES + NAME.length + 6),
    ]);
    expect(answerTo([first])).toMatchObject({ answer: { kind: 'absent' } });
    expect(answerTo([first, record(long, TXT, Buffer.from([0]))])).toEqual(malformed);
  });

  it.each<[string, Buffer]>([
    ['a text that is longer than its record', record(atQuestion, TXT, Buffer.from([9, 0x61]))],
    ['a record that is longer than the message', record(atQuestion, TXT, Buffer.alloc(9)).subarray(0, -1)],
    ['a count of records that are not there', Buffer.alloc(0)],
  ])('refuses %s', (_case, bytes) => expect(answerTo([bytes])).toEqual(malformed));

  it('does not decode records of other types', () => {
    const other = record(atQuestion, 1, Buffer.from([1]));
    const right = record(atQuestion, TXT, Buffer.from([1, 0x61]));
    expect(answerTo([other, right])).toMatchObject({ answer: { kind: 'found', records: [{ value: 'a', ttl: 60 }] } });
  });
});

describe('a name that is written once and meant a thousand times', () => {
  /** The reply, and how often a length or a pointer in it was looked at: no more often than it has bytes. */
  function counted(bytes: Buffer, name: string) {
    let reads = 0;
    const read = bytes.readUInt8.bind(bytes);
    bytes.readUInt8 = (offset) => {
      reads += 1;
      return read(offset);
    };
    return { reply: readReply(bytes, { ...question, name }), reads };
  }
  const txt = (owner: Buffer) => record(owner, TXT, Buffer.from([0]));

  it('is read once where it has 127 labels', () => {
    const name = 'a.'.repeat(126) + 'a';
    const bytes = replyOf(
      Array.from({ length: 5_000 }, () => txt(atQuestion)),
      name,
    );
    const { reply, reads } = counted(bytes, name);
    expect(reply).toMatchObject({ answer: { kind: 'found' } });
    expect(reads).toBeLessThan(bytes.length);
  });

  it('is refused where it is at the end of a long chain of pointers', () => {
    const start = HEADER_BYTES + NAME.length + 6 + 12;
    const chain = Array.from({ length: 7_000 }, (_link, i) => pointer(i === 0 ? HEADER_BYTES : start + (i - 1) * 2));
    const end = pointer(start + 6_999 * 2);
    const holder = record(atQuestion, 65_280, Buffer.concat(chain));
    const bytes = replyOf([holder, ...Array.from({ length: 3_000 }, () => txt(end))]);
    const { reply, reads } = counted(bytes, NAME);
    expect(reply).toEqual(malformed);
    expect(reads).toBeLessThan(bytes.length);
  });
});
