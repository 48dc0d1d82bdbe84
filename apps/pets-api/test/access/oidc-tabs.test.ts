import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  asPerson,
  beginSignIn,
  callBack,
  fromDashboard,
  invite,
  signIn,
  startSignInFixture,
  visitProvider,
  type SignInFixture,
} from './person-client.js';

/** Several sign-ins in one browser, whose tabs share their cookies, and one that another browser began. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture();
  ({ provider, api } = fixture);
  provider.setAccount('ada', { name: 'Ada' });
  provider.setAccount('eve', { name: 'Eve' });
  const { key } = await api.createOrganization('pro');
  await signIn(api, 'ada', { invitation: await invite(api, key, 'viewer') });
  await signIn(api, 'eve', { invitation: await invite(api, key, 'viewer') });
});
afterAll(() => fixture.close());

it('two tabs sign in at once, whichever comes back first, and each returns to its page', async () => {
  const first = await beginSignIn(api, { returnTo: '/dashboard/animals' });
  const second = await beginSignIn(api, { returnTo: '/dashboard/orders', cookie: first.cookie });
  const cookie = `${first.cookie}; ${second.cookie}`;
  const pages = [];
  for (const { location } of [second, first]) {
    const signedIn = await callBack(api, await visitProvider(location, 'ada'), cookie);
    expect((await api.request('GET', '/v1/projects', asPerson(signedIn.cookie))).status).toBe(200);
    pages.push(signedIn.location);
  }
  expect(pages).toEqual(['/dashboard/orders', '/dashboard/animals']);
});

it('a failure in one tab leaves the sign-in of another alone', async () => {
  const [first, second] = [await beginSignIn(api), await beginSignIn(api)];
  const cookie = `${first.cookie}; ${second.cookie}`;
  expect((await callBack(api, await visitProvider(first.location, null), cookie)).refusal?.reason).toBe('denied');
  expect((await callBack(api, await visitProvider(second.location, 'ada'), cookie)).refusal).toBeNull();
});

it('the callback of somebody else signs nobody in: the browser did not begin it', async () => {
  const attacker = await beginSignIn(api);
  const callback = await visitProvider(attacker.location, 'eve');
  const victim = await beginSignIn(api);
  for (const cookie of ['', victim.cookie]) {
    const { refusal, cookie: session } = await callBack(api, callback, cookie);
    expect([refusal?.reason, session]).toEqual(['expired', '']);
  }
});

it('sign-ins that nobody completes do not fill the header: the sixth deletes the others', async () => {
  const jar = new Map<string, string>();
  const begin = async () => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const { headers } = await api.request('POST', '/dashboard/sign-in/oidc', {
      body: { returnTo: '/dashboard/' },
      headers: { ...fromDashboard, cookie },
    });
    for (const each of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (each.includes('Max-Age=0;')) jar.delete(name);
      else jar.set(name, value);
    }
    return jar.size;
  };
  const sizes = [];
  for (let count = 0; count < 7; count += 1) sizes.push(await begin());
  expect(sizes).toEqual([1, 2, 3, 4, 5, 1, 2]);
});
