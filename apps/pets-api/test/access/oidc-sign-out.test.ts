import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SignOutResult } from '@pets/contracts';
import type { ApiReplica } from '../harness.js';
import { startHostileProvider } from './hostile-provider.js';
import { asPerson, invite, ORIGIN, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

/** Effects of a sign-out at the identity provider. The session here ends in each case. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
let key: string;
beforeAll(async () => {
  fixture = await startSignInFixture({ OIDC_SIGN_OUT: 'true' });
  ({ provider, api } = fixture);
  provider.setAccount('ada', { name: 'Ada', email: 'ada@example.com' });
  ({ key } = await api.createOrganization('pro'));
  await signIn(api, 'ada', { invitation: await invite(api, key, 'viewer') });
});
afterAll(() => fixture.close());

/** Signs in, and out at a replica. @returns where the sign-out leads */
async function signOut(replica: ApiReplica): Promise<string | null> {
  const { cookie } = await signIn(api, 'ada');
  const { status, body } = await replica.request<SignOutResult>('DELETE', '/dashboard/session', asPerson(cookie));
  expect(status).toBe(200);
  expect((await replica.request('GET', '/v1/projects', asPerson(cookie))).status).toBe(401);
  return body.location;
}

it('leads to the logout page of the provider, which knows the client and sends the browser back', async () => {
  const location = new URL((await signOut(api)) ?? '');
  expect(location.origin + location.pathname).toBe(`${provider.issuer}/session/end`);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    client_id: 'pets',
    post_logout_redirect_uri: `${ORIGIN}/dashboard/`,
  });
  const statuses = [(await fetch(location)).status];
  location.searchParams.set('post_logout_redirect_uri', 'https://evil.example/');
  statuses.push((await fetch(location)).status);
  expect(statuses).toEqual([200, 400]);
});

it('leads nowhere unless the operator wants it', async () => {
  expect(await signOut(await api.startReplica({ OIDC_SIGN_OUT: '' }))).toBeNull();
});

it('leads nowhere with a provider that has no such page, or does not answer', async () => {
  const other = await startHostileProvider();
  expect(await signOut(await api.startReplica({ ...other.settings }))).toBeNull();
  const replica = await api.startReplica({ ...other.settings });
  await other.stop();
  expect(await signOut(replica)).toBeNull();
});

it('leads nowhere for the session of an API key', async () => {
  const headers = { origin: ORIGIN, 'x-csrf': '1' };
  const opened = await api.request('POST', '/dashboard/session', { key, headers });
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { status, body } = await api.request<SignOutResult>('DELETE', '/dashboard/session', asPerson(cookie));
  expect([status, body]).toEqual([200, { location: null }]);
});
