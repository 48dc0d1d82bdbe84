import { describe, expect, it } from '@jest/globals';
import type { SignInRefusal } from '@pets/contracts';
import { refusalText } from './people-strings.js';

describe('refusalText', () => {
  it('names the person, if the provider has said who signed in', () => {
    expect(refusalText({ reason: 'removed', name: 'Ada' })).toMatch(/^You are signed in as Ada, but were removed/);
    expect(refusalText({ reason: 'removed', name: null })).toMatch(/^You are signed in at the identity provider, but/);
  });

  it('has a text for a reason that only a newer API knows', () => {
    const refusal = { reason: 'of_the_next_version', name: null } as unknown as SignInRefusal; // as it arrives
    expect(refusalText(refusal)).toContain('Sign in again');
  });
});
