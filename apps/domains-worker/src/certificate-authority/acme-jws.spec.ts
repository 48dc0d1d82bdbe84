import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { bindExternalAccount, signRequest, thumbprintOf } from './acme-jws.js';

/** RFC 7517 appendix A.2. */
const publicJwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};
const jwk = { ...publicJwk, d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE' };
const key = createPrivateKey({ key: jwk, format: 'jwk' });
const unsigned = { url: 'https://ca.test/new-order', nonce: 'n-1', accountUrl: 'https://ca.test/account/1' };

interface Jws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}
const parse = (text: string) => JSON.parse(text) as Jws;
const decode = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());

describe('signRequest', () => {
  it('puts account, nonce and URL into the protected header only', () => {
    const jws = parse(signRequest(key, { ...unsigned, payload: { a: 'ä' } }));
    expect(Object.keys(jws)).toEqual(['protected', 'payload', 'signature']);
    expect(decode(jws.protected)).toEqual({ alg: 'ES256', kid: unsigned.accountUrl, nonce: 'n-1', url: unsigned.url });
    expect(decode(jws.payload)).toEqual({ a: 'ä' });
  });

  it('contains the public key before the account exists', () => {
    const jws = parse(signRequest(key, { ...unsigned, accountUrl: null, payload: {} }));
    expect(decode(jws.protected)).toEqual({ alg: 'ES256', jwk: publicJwk, nonce: 'n-1', url: unsigned.url });
  });

  it('distinguishes POST-as-GET from an empty object', () => {
    expect(parse(signRequest(key, unsigned)).payload).toBe('');
    expect(decode(parse(signRequest(key, { ...unsigned, payload: {} })).payload)).toEqual({});
  });

  it('signs header and payload with r and s of 32 bytes each, whatever their leading zeros', () => {
    const publicKey = { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' as const };
    for (let round = 0; round < 300; round += 1) {
      const jws = parse(signRequest(key, unsigned));
      const signature = Buffer.from(jws.signature, 'base64url');
      expect(signature).toHaveLength(64);
      expect(verify('sha256', Buffer.from(`${jws.protected}.${jws.payload}`), publicKey, signature)).toBe(true);
    }
  });
});

describe('bindExternalAccount', () => {
  it('signs our public key with the key of the external account', () => {
    const hmacKey = Buffer.alloc(32, 7);
    const jws = bindExternalAccount(key, { keyId: 'kid-1', hmacKey }, 'https://ca.test/new-account');
    // RFC 8555 §7.3.4: no nonce, and the address of the registration it is part of.
    expect(decode(jws.protected)).toEqual({ alg: 'HS256', kid: 'kid-1', url: 'https://ca.test/new-account' });
    expect(decode(jws.payload)).toEqual(publicJwk);
    const expected = createHmac('sha256', hmacKey).update(`${jws.protected}.${jws.payload}`).digest('base64url');
    expect(jws.signature).toBe(expected);
  });
});

describe('thumbprintOf', () => {
  it('is that of RFC 7638', () => {
    expect(thumbprintOf(key)).toBe('cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s');
  });

  it('differs from key to key', () => {
    expect(thumbprintOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)).not.toBe(thumbprintOf(key));
  });
});
