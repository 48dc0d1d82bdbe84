import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SignInCookies } from './sign-in-cookie.js';

const SECRET = 'a secret of sixteen bytes or more';
const now = new Date();
const cookies = new SignInCookies(SECRET);
const refusal = { kind: 'refusal', reason: 'denied', name: 'Ada' } as const;
const progress = {
  kind: 'progress',
  ...{ state: 's', nonce: 'n', verifier: 'v', returnTo: '/dashboard/', invitation: null, former: null },
} as const;

const valueOf = (header: string) => header.slice(header.indexOf('=') + 1, header.indexOf(';'));

/** A cookie as another version writes it. */
function seal(value: unknown): string {
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'pets-api sign-ins', 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([
    ...[nonce, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()],
  ]).toString('base64url');
}

describe('the cookie of a sign-in', () => {
  it('is read until it expires, as its kind only', () => {
    const value = valueOf(cookies.set(refusal, now));
    expect(cookies.readSignIn(value, 'refusal', now)).toEqual(refusal);
    expect(cookies.readSignIn(value, 'progress', now)).toBeNull();
    expect(cookies.readSignIn(value, 'refusal', new Date(now.getTime() + 60_000))).toBeNull();
  });

  it('of a later version is read without what this one does not know', () => {
    const content = { ...progress, former: { id: 'a', organizationId: 'b', added: 1 }, added: 1 };
    const value = seal({ content, endsAtMs: now.getTime() + 1_000, added: 1 });
    expect(cookies.readSignIn(value, 'progress', now)).toEqual({
      ...progress,
      former: { id: 'a', organizationId: 'b' },
    });
  });

  it.each([
    ['another reason', { ...refusal, reason: 'tired' }],
    ['another kind', { kind: 'other' }],
    ['less', { kind: 'refusal' }],
  ])('of another version with %s counts as none', (_what, content) => {
    expect(cookies.readSignIn(seal({ content, endsAtMs: now.getTime() + 1_000 }), 'refusal', now)).toBeNull();
    expect(cookies.readSignIn(seal({ content }), 'refusal', now)).toBeNull();
  });
});
