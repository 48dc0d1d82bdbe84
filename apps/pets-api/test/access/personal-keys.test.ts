import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ApiError,
  ApiKey,
  AuditEvent,
  ChangedPerson,
  CreatedApiKey,
  Organization,
  Role,
  Scope,
} from '@pets/contracts';
import { sql } from 'kysely';
import { joinOrganization, sendAs, type Member } from './member-steps.js';
import { asPerson, invite, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

/** Keys of a person who is removed or gets a lower role, and who may revoke a key. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture({ OIDC_ORGANIZATION_CLAIM: 'organization', OIDC_ROLE_CLAIM: 'role' });
  ({ provider, api } = fixture);
});
afterAll(() => fixture.close());

const join = (key: string, role: Role) => joinOrganization({ api, provider }, key, role);
const statusOf = async (key: string) => (await api.request('GET', '/v1/api-keys', { key })).status;
const listKeys = async (key: string, query = '') =>
  (await api.request<ApiKey[]>('GET', `/v1/api-keys${query}`, { key })).body;
const eventsOf = async (key: string, type: AuditEvent['type']) =>
  (await api.request<AuditEvent[]>('GET', '/v1/audit-events?limit=100', { key })).body.filter(
    (event) => event.type === type,
  );
const remove = (key: string, id: string, query = '') =>
  api.request<ApiError>('DELETE', `/v1/people/${id}${query}`, { key });
const noticesOf = async (key: string) =>
  (await api.request<Organization>('GET', '/v1/organization', { key })).body.notices;

const managing: readonly Scope[] = ['keys:read', 'keys:write', 'pets:read'];

/** Creates a key as a person, or with a key. */
async function create(by: Member | string, scopes: readonly Scope[] = managing, name = 'K'): Promise<CreatedApiKey> {
  const body = { name, scopes };
  const options = typeof by === 'string' ? { key: by, body } : asPerson(by.cookie, { body });
  const answer = await api.request<CreatedApiKey>('POST', '/v1/api-keys', options);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Signs in with claims. */
async function enter(account: string, organization: string | undefined, role?: Role): Promise<Member> {
  provider.setAccount(account, { name: account, organization, role });
  const { cookie } = await signIn(api, account);
  if (cookie === '') return { id: '', cookie };
  const { body } = await api.request<Organization>('GET', '/v1/organization', asPerson(cookie));
  return { id: body.caller.person?.id ?? '', cookie };
}

describe('a key', () => {
  it('has the person, key or operator that created it', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const made = await create(admin);
    const with_ = await create(made.secret);
    const person = { id: admin.id, name: expect.stringMatching(/^admin /), isMember: true };
    expect([made.createdBy, made.person]).toEqual([{ kind: 'person', id: admin.id, display: person.name }, person]);
    expect([with_.createdBy, with_.person]).toEqual([{ kind: 'api_key', id: made.id, display: made.display }, person]);
    const [first] = await listKeys(key);
    expect([first?.createdBy, first?.person]).toEqual([{ kind: 'operator', id: null, display: null }, null]);
    expect((await listKeys(key, `?personId=${admin.id}`)).map(({ id }) => id)).toEqual([made.id, with_.id]);
  });
});

describe('a removal', () => {
  it('needs a decision about valid keys, and lists some of them', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const keys = [];
    for (let count = 0; count < 25; count += 1) keys.push(await create(admin, managing, `Key ${count}`));
    const { status, body } = await remove(key, admin.id);
    expect([status, body.code, body.errors?.length]).toEqual([409, 'keys_undecided', 20]);
    expect(body.message).toContain('25 API keys of this person are still valid');
    expect(body.errors?.[0]?.message).toContain(`“Key 0” (${keys[0]?.display}, id ${keys[0]?.id})`);
    expect((await api.request('GET', '/v1/organization', asPerson(admin.cookie))).status).toBe(200);
    expect((await remove(key, admin.id, '?keys=other')).status).toBe(400);
  });

  it('revokes them and those made with them, also by a key that was deleted, and no others', async () => {
    const { key } = await api.createOrganization('pro');
    const [admin, other] = [await join(key, 'admin'), await join(key, 'admin')];
    const first = await create(admin);
    const second = await create(first.secret);
    const third = await create(second.secret);
    const [ofOther, ofOperator] = [await create(other), await create(key)];
    await api.request('DELETE', `/v1/api-keys/${second.id}`, { key });
    await sql`delete from api_keys where id = ${second.id}`.execute(api.db);
    expect((await remove(key, admin.id, '?keys=revoke')).status).toBe(204);
    const all = [first, third, ofOther, ofOperator];
    expect(await Promise.all(all.map(({ secret }) => statusOf(secret)))).toEqual([401, 401, 200, 200]);
    const revoked = (await eventsOf(key, 'api_key.revoked')).filter(({ detail }) => detail['reason'] !== undefined);
    expect(revoked.map(({ subject }) => subject.id).sort()).toEqual([first.id, third.id].sort());
    expect(revoked[0]?.detail).toEqual({ reason: 'person_removed', person: admin.id });
    expect((await eventsOf(key, 'person.removed'))[0]?.detail).toMatchObject({ role: 'admin', keys: 'revoke' });
  });

  it('keeps them if asked to, without a notice', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const made = await create(admin);
    expect((await remove(key, admin.id, '?keys=keep')).status).toBe(204);
    expect(await statusOf(made.secret)).toBe(200);
    expect((await eventsOf(key, 'person.removed'))[0]?.detail).toMatchObject({ keptKeys: 1, keptKeyIds: [made.id] });
    expect((await listKeys(key)).find(({ id }) => id === made.id)?.person?.isMember).toBe(false);
    expect(await noticesOf(key)).toEqual([]);
  });

  it('needs no decision without valid keys', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const { id } = await create(admin);
    await api.request('DELETE', `/v1/api-keys/${id}`, { key });
    expect((await remove(key, admin.id)).status).toBe(204);
  });

  it('does not miss a key that is created meanwhile', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const made = await create(admin);
    const attempts = Array.from({ length: 8 }, () => create(made.secret).catch(() => null));
    const removal = remove(key, admin.id, '?keys=revoke');
    const created = await Promise.all(attempts);
    expect((await removal).status).toBe(204);
    for (const each of created) if (each !== null) expect(await statusOf(each.secret)).toBe(401);
  });
});

describe('a removal by claim', () => {
  it('revokes no key; owners get a notice until they decide, and the log has a line', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await join(key, 'owner');
    const admin = await enter('ada', organizationId, 'admin');
    const made = await create(admin);
    await enter('ada', undefined);
    expect(await statusOf(made.secret)).toBe(200);
    const later = await create(made.secret);
    const [notice] = await noticesOf(key);
    expect(notice).toMatchObject({ code: 'keys_left_behind', personId: admin.id, apiKeys: { total: 2 } });
    const detail = { by: 'claim', claim: 'organization', keptKeys: 1, keptKeyIds: [made.id] };
    expect((await eventsOf(key, 'person.removed'))[0]?.detail).toMatchObject(detail);
    const readers = await create(key, ['people:read', 'projects:read']);
    expect((await api.request<Organization>('GET', '/v1/organization', { key: readers.secret })).body?.notices).toEqual(
      [],
    );
    expect((await remove(key, admin.id)).body.code).toBe('keys_undecided');
    expect((await remove(key, admin.id, '?keys=revoke')).status).toBe(204);
    expect([await statusOf(made.secret), await statusOf(later.secret)]).toEqual([401, 401]);
    expect(await noticesOf(key)).toEqual([]);
    expect((await remove(key, admin.id, '?keys=revoke')).status).toBe(404);
  });

  it('keeps the keys with the person who comes back, whose later removal ends them', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await join(key, 'owner');
    const made = await create(await enter('bea', organizationId, 'admin'));
    await enter('bea', undefined);
    const back = await enter('bea', organizationId, 'admin');
    expect(await noticesOf(key)).toEqual([]);
    expect((await remove(key, back.id, '?keys=revoke')).status).toBe(204);
    expect(await statusOf(made.secret)).toBe(401);
  });
});

describe('a lower role', () => {
  it('ends keys with more scopes, and no others; the answer names them', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const [strong, weak] = [await create(admin), await create(admin, ['pets:write'])];
    const change = { key, body: { role: 'developer' } };
    const { body } = await api.request<ChangedPerson>('PATCH', `/v1/people/${admin.id}`, change);
    expect(body.revokedApiKeys).toMatchObject({ total: 1, first: [{ id: strong.id }] });
    const ended = (await listKeys(key, `?personId=${admin.id}`)).filter(({ revokedAt }) => revokedAt !== null);
    expect(ended.map(({ id, revocationReason }) => [id, revocationReason])).toEqual([[strong.id, 'person_demoted']]);
    expect(await statusOf(strong.secret)).toBe(401);
    expect((await api.request('GET', '/v1/pets', { key: weak.secret })).status).toBe(403);
  });

  it('of a claim does the same, and the log names the claim', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await join(key, 'owner');
    const made = await create(await enter('cleo', organizationId, 'admin'));
    await enter('cleo', organizationId, 'viewer');
    expect(await statusOf(made.secret)).toBe(401);
    expect((await eventsOf(key, 'person.role_changed'))[0]?.detail).toEqual({
      ...{ from: 'admin', to: 'viewer', by: 'claim', claim: 'role' },
    });
  });
});

describe('to revoke a key', () => {
  it('one needs its scopes, or has made it', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    const [admin, owner] = [await join(key, 'admin'), await join(key, 'owner')];
    const ofOwner = await create(owner, ['owners:write', 'keys:write', 'keys:read']);
    expect(await sendAs(api, admin, 'DELETE', `/v1/api-keys/${ofOwner.id}`)).toBe(403);
    const manager = await api.createKey(organizationId, { scopes: ['keys:write'] });
    const revoke = async (by: string, id: string, query = '') =>
      (await api.request('DELETE', `/v1/api-keys/${id}${query}`, { key: by })).status;
    const target = await create(admin, ['pets:read']);
    expect([await revoke(manager, ofOwner.id), await revoke(manager, target.id)]).toEqual([403, 403]);
    expect(await sendAs(api, owner, 'DELETE', `/v1/api-keys/${target.id}`)).toBe(204);
    await sql`update api_keys set scopes = '{pets:read,owners:write}' where id = ${target.id}`.execute(api.db);
    expect(await sendAs(api, admin, 'DELETE', `/v1/api-keys/${target.id}`)).toBe(204);
    expect(await statusOf(ofOwner.secret)).toBe(200);
  });

  it('itself, a key needs no scope', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await api.createKey(organizationId, { scopes: ['pets:read'] });
    const reader = await create(key, ['pets:read']);
    const other = await create(key, ['pets:read']);
    const revoke = async (id: string) =>
      (await api.request('DELETE', `/v1/api-keys/${id}`, { key: reader.secret })).status;
    expect([await revoke(other.id), await revoke(reader.id)]).toEqual([403, 204]);
    expect((await api.request('GET', '/v1/pets', { key: reader.secret })).status).toBe(401);
  });

  it('that leaked, keys:write is enough, and owners get a notice', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    const strong = await create(key, ['owners:write', 'keys:read']);
    const manager = await api.createKey(organizationId, { scopes: ['keys:write'] });
    const reader = await api.createKey(organizationId, { scopes: ['pets:read'] });
    const path = `/v1/api-keys/${strong.id}?reason=leaked`;
    expect((await api.request('DELETE', path, { key: reader })).status).toBe(403);
    expect((await api.request('DELETE', path, { key: manager })).status).toBe(204);
    expect(await statusOf(strong.secret)).toBe(401);
    expect((await eventsOf(key, 'api_key.revoked'))[0]?.detail).toEqual({ reason: 'leaked' });
    expect(await noticesOf(key)).toMatchObject([{ code: 'key_leaked', apiKeys: { first: [{ id: strong.id }] } }]);
  });
});

describe('the audit log', () => {
  it('names invitation and inviter of somebody who joins', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'owner');
    const [byKey] = await eventsOf(key, 'person.added');
    const [own] = await listKeys(key);
    expect(byKey?.detail).toMatchObject({ by: 'invitation', inviterKind: 'api_key', inviterId: own?.id });
    const body = { name: 'X', role: 'viewer' };
    const invited = await api.request<{ id: string; url: string }>(
      'POST',
      '/v1/invitations',
      asPerson(admin.cookie, { body }),
    );
    provider.setAccount('dora', { name: 'dora' });
    await signIn(api, 'dora', { invitation: new URL(invited.body.url).hash.slice(1) });
    expect((await eventsOf(key, 'person.added'))[0]?.detail).toEqual({
      ...{ role: 'viewer', by: 'invitation', invitation: invited.body.id, inviterKind: 'person', inviterId: admin.id },
    });
  });

  it('has refused sign-ins, each once an hour, and at most twenty', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    const eve = await join(key, 'viewer');
    await remove(key, eve.id);
    await enter('fay', organizationId);
    const people = await api.request<{ id: string; name: string }[]>('GET', '/v1/people', { key });
    for (const { id } of people.body) await remove(key, id);
    for (let count = 0; count < 3; count += 1) await enter('fay', organizationId);
    const [refused, ...others] = await eventsOf(key, 'organization.sign_in_refused');
    expect(others).toEqual([]);
    expect(refused).toMatchObject({ detail: { reason: 'removed' }, actor: { kind: 'person', display: 'fay' } });
    const token = await invite(api, key, 'viewer');
    await sql`update invitations set expires_at = now() - interval '1 second' where organization_id = ${organizationId}`.execute(
      api.db,
    );
    for (let count = 0; count < 25; count += 1) {
      provider.setAccount(`stranger ${count}`, { name: 'S' });
      await signIn(api, `stranger ${count}`, { invitation: token });
    }
    expect(await eventsOf(key, 'organization.sign_in_refused')).toHaveLength(20);
  });
});
