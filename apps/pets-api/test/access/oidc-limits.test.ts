import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beginSignIn, callBack, startSignInFixture, visitProvider, type SignInFixture } from './person-client.js';

let fixture: SignInFixture;
beforeAll(async () => void (fixture = await startSignInFixture()));
afterAll(() => fixture.close());

describe('a sign-in with the identity provider', () => {
  it('is limited by address', async () => {
    const limited = await fixture.api.startReplica({ SIGN_INS_PER_MINUTE: '2' });
    await beginSignIn(limited);
    await beginSignIn(limited);
    await expect(beginSignIn(limited)).rejects.toThrow('Too many sign-ins');
  });

  it('completes after any number of callbacks of somebody else at the same address, and is not repeated without end', async () => {
    const limited = await fixture.api.startReplica({ SIGN_INS_PER_MINUTE: '3' });
    const { location, cookie } = await beginSignIn(limited);
    const stranger = await beginSignIn(limited);
    for (let index = 0; index < 100; index += 1) {
      const state = index % 2 === 0 ? stranger.location.searchParams.get('state') : `made-up-${index}`;
      const url = `${limited.url}/dashboard/sign-in/callback?code=wrong&state=${state}`;
      const { status } = await fetch(url, { headers: { cookie: stranger.cookie }, redirect: 'manual' });
      expect(status).toBe(index % 2 === 0 && index >= 10 ? 429 : 303);
    }
    const finished = await callBack(limited, await visitProvider(location, null), cookie);
    // The provider was asked, and its person has declined.
    expect(finished.refusal?.reason).toBe('denied');
  });
});
