import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@pets/contracts';
import { sql } from 'kysely';
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

/** The session that a browser had before another sign-in. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture();
  ({ provider, api } = fixture);
  for (const account of ['ada', 'bo', 'cy', 'dee']) provider.setAccount(account, { name: account });
});
afterAll(() => fixture.close());

/** Signs in with an API key. @returns the cookie */
async function signInWithKey(key: string, cookie = ''): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, ...fromDashboard, cookie };
  const answer = await api.request('POST', '/dashboard/session', { headers });
  expect(answer.status).toBe(201);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const endsOf = async (key: string) =>
  (await api.request<AuditEvent[]>('GET', '/v1/audit-events?limit=100', { key })).body
    .filter(({ type }) => type === 'session.ended')
    .map(({ actor, address }) => [actor.kind, actor.display, address]);
const statusOf = async (cookie: string) => (await api.request('GET', '/v1/projects', asPerson(cookie))).status;

describe('the end of a former session is in the audit log, with', () => {
  it('the person who ended it, in the same organization', async () => {
    const { key } = await api.createOrganization('pro');
    const { cookie } = await signIn(api, 'ada', { invitation: await invite(api, key, 'viewer') });
    await signIn(api, 'ada', { cookie });
    expect([await statusOf(cookie), await endsOf(key)]).toEqual([401, [['person', 'ada', '127.0.0.1']]]);
  });

  it('nobody of another organization', async () => {
    const [first, second] = [await api.createOrganization('pro'), await api.createOrganization('pro')];
    const cookies = [await signInWithKey(first.key), await signInWithKey(first.key)];
    await signIn(api, 'bo', { cookie: cookies[0] ?? '', invitation: await invite(api, second.key, 'viewer') });
    await signInWithKey(second.key, cookies[1]);
    expect(await Promise.all(cookies.map(statusOf))).toEqual([401, 401]);
    const system = ['system', null, null];
    expect([await endsOf(first.key), await endsOf(second.key)]).toEqual([[system, system], []]);
  });

  it('no second event if it had ended already', async () => {
    const { key } = await api.createOrganization('pro');
    const former = await signIn(api, 'cy', { invitation: await invite(api, key, 'viewer') });
    const { location, cookie } = await beginSignIn(api, { cookie: former.cookie });
    await api.request('DELETE', '/dashboard/session', asPerson(former.cookie));
    expect((await callBack(api, await visitProvider(location, 'cy'), cookie)).refusal).toBeNull();
    expect(await endsOf(key)).toHaveLength(1);
  });
});

it('a former session that cannot be ended does not stop a sign-in', async () => {
  const { key } = await api.createOrganization('pro');
  const former = await signIn(api, 'dee', { invitation: await invite(api, key, 'viewer') });
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`.execute(
    api.db,
  );
  await sql`create trigger refuse before delete on sessions for each row execute function refuse()`.execute(api.db);
  const { refusal, cookie } = await signIn(api, 'dee', { cookie: former.cookie });
  expect([refusal, await statusOf(cookie)]).toEqual([null, 200]);
  await signInWithKey(key, cookie);
});
