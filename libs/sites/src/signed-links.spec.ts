import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLinkKeys, isSignedWith, parseLinkToken, signLink } from './signed-links.js';

const END = 1_800_000_000;
const keys = createLinkKeys();
const others = createLinkKeys();
const token = signLink(keys, END);
const [end = '', signature = ''] = token.split('.');

const character = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 });

const opens = (text: string, publicKey = keys.publicKey) => {
  const parsed = parseLinkToken(text);
  return parsed !== undefined && isSignedWith(parsed, publicKey);
};

describe('a token of a link', () => {
  it('opens the site of its key until its end', () => {
    expect(opens(token)).toBe(true);
    expect(parseLinkToken(token)).toMatchObject({ text: token, endsAt: END });
  });

  it('has characters that a query and a cookie may have, and a fixed length', () => {
    expect(token).toMatch(/^[\w.-]{97}$/);
  });

  it('contains neither key', () => {
    expect(keys.publicKey).toMatch(/^[\w-]{43}$/);
    expect(token).not.toContain(keys.publicKey);
    expect(token).not.toContain(keys.privateKey);
  });

  it.each([
    ['of another channel, or of links that were ended', signLink(others, END)],
    ['with a later end', `${END + 1}.${signature}`],
    ['signed by another key that claims this one', signLink({ ...others, publicKey: keys.publicKey }, END)],
    ['without a signature', `${end}.`],
    ['truncated', token.slice(0, -1)],
    ['continued', `${token}A`],
    ['with a signature of zeros', `${end}.${'A'.repeat(86)}`],
    ['with a second point', `${token}.`],
    ['with padding', `${token}==`],
    ['with an end that has a leading zero', `0${token}`],
    ['with an end in another form', `1.8e9.${signature}`],
    ['with a space', ` ${token}`],
    ['with a line break', `${token}\n`],
    ['that is empty', ''],
    ['that is very long', 'A'.repeat(16_000)],
  ])('is refused %s', (_name, text) => expect(opens(text)).toBe(false));

  it('is refused by the key of another channel', () => expect(opens(token, others.publicKey)).toBe(false));

  it('has one spelling: bits that decoding ignores are refused', () => {
    const last = token.at(-1) ?? '';
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
      (other) => token.slice(0, -1) + other,
    );
    expect(spellings.filter((text) => opens(text))).toEqual([token.slice(0, -1) + last]);
  });

  it('is refused with a signature of another algorithm or for another purpose', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = Buffer.from(`pets: link of a protected channel\n${keys.publicKey}\n${END}`);
    const ofOther = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    expect(ofOther).toHaveLength(64);
    expect(opens(`${END}.${ofOther.toString('base64url')}`)).toBe(false);
  });

  it('is refused with any other byte', () =>
    fc.assert(
      fc.property(fc.nat(token.length - 1), character, (at, other) => {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        return opens(changed) === (changed === token);
      }),
    ));
});
