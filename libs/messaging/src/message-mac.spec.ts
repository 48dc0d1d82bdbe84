import { describe, expect, it } from '@jest/globals';
import { findKeyFault, openKeys, signMessage, textOf, verifyMessage, type MacKeys } from './message-mac.js';

const ringOf = (...ids: [string, number][]): MacKeys =>
  openKeys({
    activeId: ids[0]?.[0] ?? '',
    keys: new Map(ids.map(([id, fill]) => [id, Buffer.alloc(32, fill)])),
  });
const ring = ringOf(['k1', 1]);
const now = new Date('2026-11-22T10:00:00.000Z');
const message = {
  queue: 'domain-checks',
  name: 'probe-edge',
  text: textOf({ b: [1, 'x', null], a: { d: true, c: -1.5e-9 } }),
};
const mac = signMessage(ring, message, now);

describe('verifyMessage', () => {
  it('verifies a MAC over queue, name and time in an array, and the text behind it', () => {
    expect(verifyMessage(ring, message, mac)).toEqual({ kind: 'valid', at: now });
    // printf %s '["domain-checks","probe-edge","2026-11-22T10:00:00.000Z"]{"b":[1,"x",null],"a":{"d":true,"c":-1.5e-9}}' |
    //   openssl dgst -sha256 -mac HMAC -macopt hexkey:01…01
    expect(mac).toEqual({ key: 'k1', at: now.toISOString(), value: 'qCvgqhC6gBeedwPfrLnzx_0wFV5SgJSgU9KxB-UexsQ' });
  });

  it.each<[string, object, object]>([
    ['queue', { queue: 'webhooks' }, {}],
    ['name', { name: 'issue-certificate' }, {}],
    ['text', { text: message.text.replace('true', 'false') }, {}],
    ['spelling of a number', { text: message.text.replace('-1.5e-9', '-0.0000000015') }, {}],
    ['text behind it', { text: `${message.text} ` }, {}],
    ['place of a border', { name: 'probe', text: `-edge${message.text}` }, {}],
    ['empty text', { text: '' }, {}],
    ['time', {}, { at: '2026-11-22T10:00:00.001Z' }],
    ['spelling of the time', {}, { at: '2026-11-22T10:00:00Z' }],
    ['value', {}, { value: Buffer.alloc(32).toString('base64url') }],
    ['shorter value', {}, { value: mac.value.slice(0, 20) }],
    ['empty value', {}, { value: '' }],
  ])('refuses another %s', (_what, other, change) => {
    const verdict = verifyMessage(ring, { ...message, ...other }, { ...mac, ...change });
    expect(verdict).toEqual({ kind: 'wrong', reason: 'mismatch' });
  });

  it.each([true, 'text', 7, [], {}, { ...mac, at: 'today' }, { ...mac, key: null }, { key: 'k1', value: mac.value }])(
    'calls %j malformed',
    (given) => expect(verifyMessage(ring, message, given)).toEqual({ kind: 'wrong', reason: 'malformed' }),
  );

  it.each([undefined, null])('calls %p absent', (given) => {
    expect(verifyMessage(ring, message, given)).toEqual({ kind: 'absent' });
  });
});

describe('a key ring', () => {
  it('signs with the active key and verifies with every key', () => {
    const both = ringOf(['k2', 2], ['k1', 1]);
    expect(verifyMessage(both, message, mac).kind).toBe('valid');
    const newer = signMessage(both, message, now);
    expect(newer.key).toBe('k2');
    expect(verifyMessage(ringOf(['k1', 1], ['k2', 2]), message, newer).kind).toBe('valid');
    expect(verifyMessage(ring, message, newer)).toEqual({ kind: 'wrong', reason: 'unknown_key' });
  });

  it('refuses another key with the same id', () => {
    expect(verifyMessage(ringOf(['k1', 9]), message, mac)).toEqual({ kind: 'wrong', reason: 'mismatch' });
  });

  it('does not know ids that every object has', () => {
    expect(verifyMessage(ring, message, { ...mac, key: '__proto__' })).toMatchObject({ reason: 'unknown_key' });
  });
});

describe('textOf', () => {
  it.each<[unknown, unknown]>([
    [
      { at: now, gone: undefined, not: Number.NaN, zero: -0 },
      { at: now.toISOString(), not: null, zero: 0 },
    ],
    [
      { text: 'a\0b', list: ['\ud800', 'x\udc00y', '\u{1F436}'] },
      { text: 'a\uFFFDb', list: ['\uFFFD', 'x\uFFFDy', '\u{1F436}'] },
    ],
    ['back\\u0000slash', 'back\\u0000slash'],
    [{ tab: '\t\u001f' }, { tab: '\t\u001f' }],
  ])('makes %j %j', (payload, expected) => expect(JSON.parse(textOf(payload))).toEqual(expected));

  it('throws where JSON does', () => {
    expect(() => textOf({ id: 1n })).toThrow('BigInt');
  });
});

const keyRing = (...fills: number[]) => ({
  activeId: 'k0',
  keys: new Map(fills.map((fill, index) => [`k${index}`, Buffer.alloc(32, fill)])),
});

describe('findKeyFault', () => {
  it('accepts keys of both directions', () => {
    expect(findKeyFault({ QUEUE_KEYS_JOBS: keyRing(1, 2), QUEUE_KEYS_EVENTS: keyRing(3) })).toBeNull();
  });

  it('refuses a key that both share, whatever its place', () => {
    const fault = findKeyFault({ QUEUE_KEYS_JOBS: keyRing(1, 2), QUEUE_KEYS_EVENTS: keyRing(3, 2) });
    expect(fault?.name).toBe('QUEUE_KEYS_EVENTS');
  });
});
