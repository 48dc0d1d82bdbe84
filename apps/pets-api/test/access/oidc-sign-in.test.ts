import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, Organization, Person, SignInState } from '@pets/contracts';
import { startIdentityProvider } from '@pets/testing';
import { startTestApi } from '../harness.js';
import {
  asPerson,
  beginSignIn,
  CALLBACK,
  callBack,
  fromDashboard,
  invite,
  ORIGIN,
  signIn,
  startSignInFixture,
  visitProvider,
  type SignInFixture,
} from './person-client.js';

/** The sign-in with an identity provider, a real one. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
let key: string;
let organizationId: string;
let nowMs = Date.now();
beforeAll(async () => {
  fixture = await startSignInFixture({ OIDC_NAME: 'Acme ID' }, () => new Date(nowMs));
  ({ provider, api } = fixture);
  ({ key, organizationId } = await api.createOrganization('pro'));
  for (const [subject, name] of Object.entries({ ada: 'Ada', bo: 'Bo', cy: 'Cy', dee: 'Dee', eve: 'Eve' }))
    provider.setAccount(subject, { name, email: 'shared@example.com' });
});
afterAll(() => fixture.close());

const peopleOf = async (of = key) => (await api.request<Person[]>('GET', '/v1/people', { key: of })).body;

describe('a sign-in', () => {
  it('with an invitation adds the person with its role, and returns to the page', async () => {
    const invitation = await invite(api, key, 'developer');
    const signedIn = await signIn(api, 'ada', { invitation, returnTo: '/dashboard/audit?x=1' });
    expect(signedIn).toMatchObject({ location: '/dashboard/audit?x=1', refusal: null });
    const { body } = await api.request<Organization>('GET', '/v1/organization', asPerson(signedIn.cookie));
    expect([body.id, body.caller.person]).toMatchObject([
      organizationId,
      { name: 'Ada', email: 'shared@example.com', role: 'developer' },
    ]);
    expect(body.caller.scopes).not.toContain('keys:write');
  });

  it('is in the audit log with the person, who changes their name there later', async () => {
    const { cookie } = await signIn(api, 'ada');
    await api.request('POST', '/v1/projects', asPerson(cookie, { body: { name: 'By Ada', slug: 'by-ada' } }));
    provider.setAccount('ada', { name: 'Ada Lovelace', email: 'shared@example.com' });
    await signIn(api, 'ada');
    const { body } = await api.request<AuditEvent[]>('GET', '/v1/audit-events?limit=100', { key });
    const [person] = await peopleOf();
    const byAda = body.filter(({ actor }) => actor.kind === 'person');
    expect(byAda.map(({ type }) => type)).toEqual([
      'session.opened',
      'project.created',
      'session.opened',
      'session.opened',
      'person.added',
    ]);
    for (const { actor, address } of byAda)
      expect([actor, address]).toEqual([{ kind: 'person', id: person?.id, display: 'Ada Lovelace' }, '127.0.0.1']);
  });

  it('of somebody with the same e-mail address and another subject is another person', async () => {
    expect((await signIn(api, 'bo')).refusal).toEqual({ reason: 'no_organization', name: 'Bo' });
    await signIn(api, 'bo', { invitation: await invite(api, key, 'viewer') });
    expect((await peopleOf()).map(({ role, email }) => [role, email])).toEqual([
      ['developer', 'shared@example.com'],
      ['viewer', 'shared@example.com'],
    ]);
  });

  it('ends the session that the browser had', async () => {
    const first = await signIn(api, 'ada');
    const second = await signIn(api, 'ada', { cookie: first.cookie });
    const statuses = [];
    for (const { cookie } of [first, second])
      statuses.push((await api.request('GET', '/v1/projects', asPerson(cookie))).status);
    expect(statuses).toEqual([401, 200]);
  });

  it('is offered by the page with the name of the provider', async () => {
    const { body } = await api.request<SignInState>('GET', '/dashboard/sign-in');
    expect(body).toEqual({ session: null, provider: { name: 'Acme ID' }, refusal: null });
  });
});

describe('an invitation', () => {
  it('works once', async () => {
    const invitation = await invite(api, key, 'viewer');
    expect((await signIn(api, 'cy', { invitation })).refusal).toBeNull();
    expect((await signIn(api, 'dee', { invitation })).refusal).toEqual({ reason: 'invitation_invalid', name: 'Dee' });
  });

  it('adds one person even if two use it at once', async () => {
    const other = await api.createOrganization('pro');
    const invitation = await invite(api, other.key, 'viewer');
    const outcomes = await Promise.all(['dee', 'eve'].map((account) => signIn(api, account, { invitation })));
    expect(outcomes.map(({ refusal }) => refusal?.reason ?? null).sort()).toEqual(['invitation_invalid', null]);
    expect(await peopleOf(other.key)).toHaveLength(1);
  });

  it('to another organization does not move a person', async () => {
    const other = await api.createOrganization('pro');
    const { refusal } = await signIn(api, 'ada', { invitation: await invite(api, other.key, 'owner') });
    expect(refusal).toEqual({ reason: 'already_member', name: 'Ada Lovelace' });
  });

  it('expires after seven days', async () => {
    const invitation = await invite(api, key, 'viewer');
    provider.setAccount('late', { name: 'Late' });
    const { location, cookie } = await beginSignIn(api, { invitation });
    const callback = await visitProvider(location, 'late');
    nowMs += 5 * 60_000;
    const soon = await callBack(api, callback, cookie);
    expect(soon.refusal).toBeNull();
    const another = await invite(api, key, 'viewer');
    nowMs += 7 * 24 * 3_600_000;
    provider.setAccount('later', { name: 'Later' });
    const late = await signIn(api, 'later', { invitation: another });
    nowMs = Date.now();
    expect(late.location).toBe('/dashboard/');
    expect((await peopleOf()).map(({ name }) => name)).not.toContain('Later');
  });
});

describe('the callback', () => {
  const refusals = async (change: (url: URL) => void) => {
    const { location, cookie } = await beginSignIn(api);
    const url = await visitProvider(location, 'ada');
    change(url);
    const { refusal, cookie: session } = await callBack(api, url, cookie);
    expect(session).toBe('');
    return refusal?.reason;
  };

  it('is refused with another state, another issuer, another code, and without any', async () => {
    expect(await refusals((url) => url.searchParams.set('state', 'x'))).toBe('expired');
    expect(await refusals((url) => url.searchParams.set('iss', 'https://evil.example'))).toBe('provider_failed');
    expect(await refusals((url) => url.searchParams.set('code', 'x'))).toBe('provider_failed');
    expect(await refusals((url) => (url.search = ''))).toBe('expired');
    expect(await refusals((url) => url.searchParams.append('state', 'y'))).toBe('provider_failed');
  });

  it.each(['nonce', 'code_challenge'])('is refused if somebody changed the %s on the way', async (name) => {
    const { location, cookie } = await beginSignIn(api);
    const given = location.searchParams.get(name) ?? '';
    location.searchParams.set(name, [...given].reverse().join(''));
    const { refusal } = await callBack(api, await visitProvider(location, 'ada'), cookie);
    expect(refusal?.reason).toBe('provider_failed');
  });

  it('works once', async () => {
    const { location, cookie } = await beginSignIn(api);
    const url = await visitProvider(location, 'ada');
    expect((await callBack(api, url, cookie)).refusal).toBeNull();
    expect((await callBack(api, url, cookie)).refusal?.reason).toBe('provider_failed');
  });

  it('is refused with the cookie of another sign-in, a changed one, and none', async () => {
    const { location, cookie } = await beginSignIn(api);
    const url = await visitProvider(location, 'ada');
    const other = await beginSignIn(api);
    // Also under the name of this sign-in.
    const renamed = cookie.replace(/=.*/, other.cookie.replace(/^[^=]*/, ''));
    expect((await callBack(api, url, renamed)).refusal?.reason).toBe('provider_failed');
    for (const wrong of ['', other.cookie, `${cookie}x`, `${cookie.slice(0, -4)}AAAA`, `${cookie}; ${cookie}`])
      expect((await callBack(api, url, wrong)).refusal?.reason).toBe('expired');
  });

  it('is refused after ten minutes', async () => {
    const { location, cookie } = await beginSignIn(api);
    const url = await visitProvider(location, 'ada');
    nowMs += 10 * 60_000;
    const { refusal } = await callBack(api, url, cookie);
    nowMs = Date.now();
    expect(refusal?.reason).toBe('expired');
  });

  it('says that the person cancelled, in our words', async () => {
    const { location, cookie } = await beginSignIn(api);
    const signedIn = await callBack(api, await visitProvider(location, null), cookie);
    expect(signedIn).toEqual({ cookie: '', location: '/dashboard/', refusal: { reason: 'denied', name: null } });
  });

  it('keeps nothing readable in the browser, and for this host only', async () => {
    const { headers } = await api.request('POST', '/dashboard/sign-in/oidc', {
      body: { returnTo: '/dashboard/' },
      headers: fromDashboard,
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-sign-in-[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });
});

describe('the start of a sign-in', () => {
  it.each(['//evil.example', '/\\evil.example', 'https://evil.example/dashboard/', '/v1/pets'])(
    'returns to the start page instead of %s',
    async (returnTo) => {
      expect((await signIn(api, 'ada', { returnTo })).location).toBe('/dashboard/');
    },
  );

  it('sends a state, a nonce and a PKCE challenge to the provider, and the exact callback', async () => {
    const { location } = await beginSignIn(api);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: 'pets',
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      state: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{43}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it.each<Record<string, string>>([{}, { origin: 'https://evil.example', 'x-csrf': '1' }, { origin: ORIGIN }])(
    'is refused to other pages: %j',
    async (headers) => {
      const body = { returnTo: '/dashboard/' };
      expect((await api.request('POST', '/dashboard/sign-in/oidc', { body, headers })).status).toBe(403);
    },
  );

  it('is refused with 503 while the provider is down, and API keys go on working', async () => {
    const away = await startIdentityProvider(CALLBACK);
    await away.stop();
    const replica = await api.startReplica({ ...away.settings });
    const answer = await replica.request('POST', '/dashboard/sign-in/oidc', {
      body: { returnTo: '/dashboard/' },
      headers: fromDashboard,
    });
    expect([answer.status, answer.body.message]).toEqual([503, 'Acme ID does not answer. Try again shortly.']);
    expect((await replica.request('GET', '/v1/projects', { key })).status).toBe(200);
  });

  it('does not exist without a provider, where nobody can be invited', async () => {
    const plain = await startTestApi();
    const { key: own } = await plain.createOrganization('pro');
    const body = { returnTo: '/dashboard/' };
    const begun = await plain.request('POST', '/dashboard/sign-in/oidc', { body, headers: fromDashboard });
    const invited = await plain.request('POST', '/v1/invitations', { key: own, body: { name: 'A', role: 'viewer' } });
    const state = await plain.request<SignInState>('GET', '/dashboard/sign-in');
    await plain.close();
    expect([begun.status, invited.status, state.body.provider]).toEqual([404, 409, null]);
  });
});

describe('an organization by claim', () => {
  it('adds people with the default role or the role of their claim, which decides at each sign-in', async () => {
    const replica = await api.startReplica({ OIDC_ORGANIZATION_CLAIM: 'organization', OIDC_ROLE_CLAIM: 'role' });
    const { key: own, organizationId: id } = await api.createOrganization('pro');
    const set = (subject: string, claims: object) => provider.setAccount(subject, { name: subject, ...claims });
    const rolesNow = async () => (await peopleOf(own)).map(({ name, role }) => [name, role].join(' '));
    set('fay', { organization: id });
    set('gus', { organization: [id], role: ['x', 'developer', 'admin'] });
    for (const account of ['fay', 'gus']) expect((await signIn(replica, account)).refusal).toBeNull();
    expect(await rolesNow()).toEqual(['fay viewer', 'gus admin']);
    set('fay', { organization: id, role: 'developer' });
    await signIn(replica, 'fay');
    expect(await rolesNow()).toEqual(['fay developer', 'gus admin']);
  });

  it('refuses unknown organizations, and people who were removed', async () => {
    const replica = await api.startReplica({ OIDC_ORGANIZATION_CLAIM: 'organization' });
    const { key: own, organizationId: id } = await api.createOrganization('pro');
    const attempt = async (organization: unknown) => {
      provider.setAccount('hal', { name: 'Hal', organization });
      return (await signIn(replica, 'hal')).refusal?.reason;
    };
    for (const wrong of [undefined, 'Acme', ['a', id], 7, '00000000-0000-4000-8000-000000000000'])
      expect(await attempt(wrong)).toBe('no_organization');
    expect(await attempt(id)).toBeUndefined();
    const [hal] = await peopleOf(own);
    await api.request('DELETE', `/v1/people/${hal?.id}`, { key: own });
    expect(await attempt(id)).toBe('removed');
    const back = await signIn(replica, 'hal', { invitation: await invite(api, own, 'viewer') });
    expect(back.refusal).toBeNull();
  });
});
