import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  roles,
  scopes,
  scopesOfRole,
  type ApiKey,
  type CreatedInvitation,
  type Organization,
  type Person,
  type Role,
} from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { runRetention } from '../operations/retention-fixture.js';
import { joinOrganization, sendAs, type Member } from './member-steps.js';
import { asPerson, invite, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

/** People of an organization: their roles, what these allow, and their end. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
let nowMs = Date.now();
beforeAll(async () => {
  fixture = await startSignInFixture({}, () => new Date(nowMs));
  ({ provider, api } = fixture);
});
afterAll(() => fixture.close());

const join = (key: string, role: Role) => joinOrganization({ api, provider }, key, role);
const send = (member: Member, method: string, path: string, body?: unknown) => sendAs(api, member, method, path, body);
const peopleOf = async (key: string) => (await api.request<Person[]>('GET', '/v1/people', { key })).body;

describe('a role', () => {
  it.each(roles)('%s has its scopes and no others', async (role) => {
    const { key } = await api.createOrganization('pro');
    await join(key, 'owner');
    const member = await join(key, role);
    const target = await join(key, 'viewer');
    const { body } = await api.request<Organization>('GET', '/v1/organization', asPerson(member.cookie));
    expect([...body.caller.scopes].sort()).toEqual([...scopesOfRole[role]].sort());
    const may = (scope: (typeof scopes)[number], status: number) => (body.caller.scopes.includes(scope) ? status : 403);
    expect(await send(member, 'GET', '/v1/audit-events')).toBe(200);
    expect(await send(member, 'POST', '/v1/projects', { name: 'P', slug: `p-${member.id}` })).toBe(
      may('projects:write', 201),
    );
    expect(await send(member, 'POST', '/v1/api-keys', { name: 'K', scopes: ['pets:read'] })).toBe(
      may('keys:write', 201),
    );
    const invitation = (wanted: Role) => send(member, 'POST', '/v1/invitations', { name: 'X', role: wanted });
    expect(await invitation('admin')).toBe(may('people:write', 201));
    expect(await invitation('owner')).toBe(may('owners:write', 201));
    expect(await send(member, 'PATCH', `/v1/people/${target.id}`, { role: 'developer' })).toBe(
      may('people:write', 200),
    );
    expect(await send(member, 'PATCH', `/v1/people/${target.id}`, { role: 'owner' })).toBe(may('owners:write', 200));
    expect(await send(member, 'DELETE', `/v1/people/${target.id}`)).toBe(may('people:write', 204));
  });

  it('of an owner cannot be taken by an admin, who creates no key with more scopes either', async () => {
    const { key } = await api.createOrganization('pro');
    const [owner, admin] = [await join(key, 'owner'), await join(key, 'admin')];
    await join(key, 'owner');
    expect(await send(admin, 'PATCH', `/v1/people/${owner.id}`, { role: 'viewer' })).toBe(403);
    expect(await send(admin, 'DELETE', `/v1/people/${owner.id}`)).toBe(403);
    expect(await send(admin, 'PATCH', `/v1/people/${admin.id}`, { role: 'owner' })).toBe(403);
    expect(await send(admin, 'POST', '/v1/api-keys', { name: 'K', scopes: ['owners:write'] })).toBe(403);
  });

  it('of a key with few scopes gives nobody more than it has', async () => {
    const { organizationId } = await api.createOrganization('pro');
    const key = await api.createKey(organizationId, { scopes: [...scopesOfRole.viewer, 'people:write'] });
    const create = async (role: Role) =>
      (await api.request('POST', '/v1/invitations', { key, body: { name: 'X', role } })).status;
    expect([await create('viewer'), await create('developer'), await create('owner')]).toEqual([201, 403, 403]);
  });

  it('applies to open sessions at once when it changes', async () => {
    const { key } = await api.createOrganization('pro');
    const member = await join(key, 'developer');
    const create = () => send(member, 'POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(await create()).toBe(201);
    await api.request('PATCH', `/v1/people/${member.id}`, { key, body: { role: 'viewer' } });
    expect([await create(), await send(member, 'GET', '/v1/pets')]).toEqual([403, 200]);
  });

  it('lets people create what outlasts their session only shortly after they signed in', async () => {
    const { key } = await api.createOrganization('pro');
    const owner = await join(key, 'owner');
    const attempts = () =>
      Promise.all([
        send(owner, 'POST', '/v1/api-keys', { name: 'K', scopes: ['pets:read'] }),
        send(owner, 'POST', '/v1/invitations', { name: 'X', role: 'viewer' }),
      ]);
    expect(await attempts()).toEqual([201, 201]);
    nowMs += 16 * 60_000;
    expect([...(await attempts()), await send(owner, 'GET', '/v1/people')]).toEqual([403, 403, 200]);
    nowMs = Date.now();
  });
});

describe('the last owner', () => {
  it('cannot be removed or be given another role', async () => {
    const { key } = await api.createOrganization('pro');
    const owner = await join(key, 'owner');
    expect(await send(owner, 'DELETE', `/v1/people/${owner.id}`)).toBe(409);
    expect(await send(owner, 'PATCH', `/v1/people/${owner.id}`, { role: 'admin' })).toBe(409);
    expect(await send(owner, 'PATCH', `/v1/people/${owner.id}`, { role: 'owner' })).toBe(200);
  });

  it.each([
    ['remove', (by: Member, of: Member) => send(by, 'DELETE', `/v1/people/${of.id}`)],
    ['demote', (by: Member, of: Member) => send(by, 'PATCH', `/v1/people/${of.id}`, { role: 'viewer' })],
  ])('stays if two owners %s each other at once', async (_what, change) => {
    for (let round = 0; round < 3; round++) {
      const { key } = await api.createOrganization('pro');
      const [a, b] = [await join(key, 'owner'), await join(key, 'owner')];
      const statuses = await Promise.all([change(a, b), change(b, a)]);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      expect((await peopleOf(key)).filter(({ role }) => role === 'owner')).toHaveLength(1);
    }
  });
});

describe('a removed person', () => {
  it('has no session from then on, at another replica within a second, and no invitations', async () => {
    const replica = await api.startReplica();
    const { key } = await api.createOrganization('pro');
    const member = await join(key, 'admin');
    expect((await replica.request('GET', '/v1/projects', asPerson(member.cookie))).status).toBe(200);
    const body = { name: 'Friend', role: 'admin' };
    const made = await api.request<CreatedInvitation>('POST', '/v1/invitations', asPerson(member.cookie, { body }));
    expect(made.status).toBe(201);
    expect((await api.request('DELETE', `/v1/people/${member.id}`, { key })).status).toBe(204);
    expect(await send(member, 'GET', '/v1/projects')).toBe(401);
    const statusThere = async () => (await replica.request('GET', '/v1/projects', asPerson(member.cookie))).status;
    await waitUntil(async () => (await statusThere()) === 401, { timeoutMs: 1_500, message: 'the other replica' });
    provider.setAccount('friend', { name: 'Friend' });
    const { refusal } = await signIn(api, 'friend', { invitation: new URL(made.body.url).hash.slice(1) });
    expect(refusal?.reason).toBe('invitation_invalid');
    expect(await peopleOf(key)).toEqual([]);
    expect((await api.request('DELETE', `/v1/people/${member.id}`, { key })).status).toBe(404);
  });

  it('can be invited again, as a new person', async () => {
    const { key } = await api.createOrganization('pro');
    provider.setAccount('back', { name: 'Back' });
    await signIn(api, 'back', { invitation: await invite(api, key, 'viewer') });
    const [first] = await peopleOf(key);
    await api.request('DELETE', `/v1/people/${first?.id}`, { key });
    expect((await signIn(api, 'back')).refusal?.reason).toBe('no_organization');
    expect((await signIn(api, 'back', { invitation: await invite(api, key, 'viewer') })).refusal).toBeNull();
    expect((await peopleOf(key)).map(({ id }) => id)).not.toContain(first?.id);
  });
});

describe('people', () => {
  it('are no API keys: no list shows them, and no limit counts them', async () => {
    const { key } = await api.createOrganization('pro');
    await join(key, 'owner');
    const keys = await api.request<ApiKey[]>('GET', '/v1/api-keys', { key });
    const { body } = await api.request<Organization>('GET', '/v1/organization', { key });
    expect([keys.body.map(({ name }) => name), body.usage.apiKeys, body.caller.person]).toEqual([['test'], 1, null]);
    const { rows } = await sql<{ id: string }>`select id from api_keys where is_person`.execute(api.db);
    for (const { id } of rows) expect((await api.request('DELETE', `/v1/api-keys/${id}`, { key })).status).toBe(404);
  });

  it('of other organizations do not exist', async () => {
    const [one, other] = [await api.createOrganization('pro'), await api.createOrganization('pro')];
    const member = await join(one.key, 'viewer');
    const { key } = other;
    const path = `/v1/people/${member.id}`;
    expect((await api.request('PATCH', path, { key, body: { role: 'admin' } })).status).toBe(404);
    expect((await api.request('DELETE', path, { key })).status).toBe(404);
    expect(await peopleOf(key)).toEqual([]);
  });

  it('are listed in pages, in order of creation', async () => {
    const { key } = await api.createOrganization('pro');
    const members = [await join(key, 'owner'), await join(key, 'viewer'), await join(key, 'admin')];
    const first = await api.request<Person[]>('GET', '/v1/people?limit=2', { key });
    const link = first.headers.get('link') ?? '';
    const next = await api.request<Person[]>('GET', `/v1/people${link.slice(link.indexOf('?'), link.indexOf('>'))}`, {
      key,
    });
    expect([...first.body, ...next.body].map(({ id }) => id)).toEqual(members.map(({ id }) => id));
  });

  it('and invitations are deleted by retention after their end', async () => {
    const { key } = await api.createOrganization('pro');
    const [member, removed, unclaimed] = [
      await join(key, 'owner'),
      await join(key, 'viewer'),
      await join(key, 'viewer'),
    ];
    for (const { id } of [removed, unclaimed]) await api.request('DELETE', `/v1/people/${id}`, { key });
    await sql`update people set removed_by_claim = true where id = ${unclaimed.id}`.execute(api.db);
    await invite(api, key, 'viewer');
    const left = async () => {
      const ids = [member, removed, unclaimed].map(({ id }) => id);
      const { rows } = await sql<{ id: string; hasName: boolean }>`
        select id::text, name is not null and email is not null as "hasName" from people
        where id = any(${ids}::uuid[]) order by created_at, id`.execute(api.db);
      return rows.map(({ id, hasName }) => [id, hasName]);
    };
    await runRetention(api.db, { days: 399 });
    expect(await left()).toEqual([member, removed, unclaimed].map(({ id }) => [id, true]));
    await runRetention(api.db, { days: 401 });
    // Or the claim would add the person again.
    expect(await left()).toEqual([
      [member.id, true],
      [removed.id, false],
    ]);
    const { rows } = await sql`select from invitations`.execute(api.db);
    expect(rows).toHaveLength(0);
  });
});
