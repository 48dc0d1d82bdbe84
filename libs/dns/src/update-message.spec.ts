import { describe, expect, it } from '@jest/globals';
import { decodeReply } from './decode-reply.js';
import { encodeUpdate, signRequest, verifyReply } from './update-message.js';

/** An update with the id 4711, and the replies of Knot DNS 3.2.6 and BIND 9.18.49, which are equal byte by byte. */
const key = { name: 'pets-acme', secret: Buffer.from('0123456789abcdef0123456789abcdef') };
const change = { kind: 'add', name: '_t.acme.pets.example', value: 'v', ttl: 1 } as const;
const signedAt = new Date('2026-11-23T12:21:51Z');
const requestBytes =
  'EmcoAAABAAAAAQABBGFjbWUEcGV0cwdleGFtcGxlAAAGAAECX3QEYWNtZQRwZXRzB2V4YW1wbGUAABAAAQAAAAEAAgF2CXBldHMtYWNtZQAA+gD/' +
  'AAAAAAA9C2htYWMtc2hhMjU2AAAAawQv3wEsACCfISUeWwgi3+FGLdWXCG4MS6yPGDZfAlxh7+VHmswYYBJnAAAAAA==';
const confirmation =
  'EmeoAAABAAAAAAABBGFjbWUEcGV0cwdleGFtcGxlAAAGAAEJcGV0cy1hY21lAAD6AP8AAAAAAD0LaG1hYy1zaGEyNTYAAABrBC/fASwAIPgFDZss' +
  'uino6H+Px3k1/nPymMOhzzZ27YZdjtpUOAfTEmcAAAAA';
const tenMinutesLater = new Date('2026-11-23T12:31:51Z');
const badTime =
  'EmeoCQABAAAAAAABBGFjbWUEcGV0cwdleGFtcGxlAAAGAAEJcGV0cy1hY21lAAD6AP8AAAAAAEMLaG1hYy1zaGEyNTYAAABrBDI3ASwAILcFZ86a' +
  'VDPiu94+MLiMkrbUdgAq/4vJMJm1iF1dtE08EmcAEgAGAABrBC/f';

function requestAt(now: Date) {
  const message = encodeUpdate('acme.pets.example', [change]);
  message.writeUInt16BE(4711, 0);
  return signRequest(message, key, now);
}

function verdictOn(bytes: Buffer, now = signedAt, sentAt = signedAt, ourKey = key) {
  return verifyReply(bytes, decodeReply(bytes), { key: ourKey, requestMac: requestAt(sentAt).mac, now });
}

const reply = () => Buffer.from(confirmation, 'base64');

describe('signRequest', () => {
  it('signs an update as real servers accept it', () => {
    expect(requestAt(signedAt).bytes.toString('base64')).toBe(requestBytes);
  });

  it('writes names in lower case', () => {
    const upper = signRequest(encodeUpdate('ACME.Pets.Example.', []), { ...key, name: 'PETS-Acme.' }, signedAt);
    const lower = signRequest(encodeUpdate('acme.pets.example', []), key, signedAt);
    expect(upper.bytes).toEqual(lower.bytes);
  });
});

describe('verifyReply', () => {
  it('accepts a reply of a real server', () => {
    expect(verdictOn(reply())).toEqual({ kind: 'signed', error: 0, serverTime: signedAt });
  });

  it('reads the time of the server from BADTIME', () => {
    const verdict = verdictOn(Buffer.from(badTime, 'base64'), tenMinutesLater, tenMinutesLater);
    expect(verdict).toEqual({ kind: 'signed', error: 18, serverTime: signedAt });
  });

  it.each([-300_000, 300_000])('accepts a difference of clocks of %i ms, and no larger one', (ms) => {
    const at = signedAt.getTime() + ms;
    expect(verdictOn(reply(), new Date(at)).kind).toBe('signed');
    expect(verdictOn(reply(), new Date(at + Math.sign(ms) * 1_000))).toEqual({
      kind: 'outdated',
      serverTime: signedAt,
    });
  });

  it('accepts another id in the header, if the original one was signed', () => {
    const forwarded = reply();
    forwarded.writeUInt16BE(1, 0);
    expect(verdictOn(forwarded).kind).toBe('signed');
  });

  it('rejects the reply to another request, and one with another key', () => {
    expect(verdictOn(reply(), signedAt, new Date(signedAt.getTime() + 1_000))).toEqual({ kind: 'forged' });
    expect(verdictOn(reply(), signedAt, signedAt, { ...key, name: 'other' })).toEqual({ kind: 'forged' });
    expect(verdictOn(reply(), signedAt, signedAt, { ...key, secret: Buffer.alloc(32) })).toEqual({ kind: 'forged' });
  });

  it('rejects a reply with any byte changed', () => {
    const accepted = [...reply().keys()].filter((index) => {
      const changed = reply();
      changed[index] = (changed[index] ?? 0) ^ 0x10;
      try {
        return ['signed', 'outdated'].includes(verdictOn(changed).kind);
      } catch {
        return false;
      }
    });
    // The id, of which the original one is signed.
    expect(accepted).toEqual([0, 1]);
  });

  it('takes a reply without a signature, or with an empty one, for unsigned', () => {
    const bytes = reply();
    const plain = Buffer.from(bytes.subarray(0, decodeReply(bytes).additionals[0]?.offset));
    plain.writeUInt16BE(0, 10);
    expect(verdictOn(plain)).toEqual({ kind: 'unsigned', error: 0 });
    const macAt = bytes.length - 6 - 32;
    const empty = Buffer.concat([bytes.subarray(0, macAt), bytes.subarray(macAt + 32)]);
    empty.writeUInt16BE(0, macAt - 2);
    // BADKEY.
    empty.writeUInt16BE(17, empty.length - 4);
    const recordAt = decodeReply(bytes).additionals[0]?.offset ?? 0;
    const lengthAt = recordAt + 'pets-acme'.length + 2 + 8;
    empty.writeUInt16BE(bytes.readUInt16BE(lengthAt) - 32, lengthAt);
    expect(verdictOn(empty)).toEqual({ kind: 'unsigned', error: 17 });
  });

  it('rejects a truncated MAC', () => {
    const bytes = reply();
    const macAt = bytes.length - 6 - 32;
    const short = Buffer.concat([bytes.subarray(0, macAt + 16), bytes.subarray(macAt + 32)]);
    short.writeUInt16BE(16, macAt - 2);
    const lengthAt = (decodeReply(bytes).additionals[0]?.offset ?? 0) + 'pets-acme'.length + 2 + 8;
    short.writeUInt16BE(bytes.readUInt16BE(lengthAt) - 16, lengthAt);
    expect(verdictOn(short)).toEqual({ kind: 'forged' });
  });
});
