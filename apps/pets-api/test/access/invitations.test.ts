import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKey, CreatedInvitation, Invitation, Role } from '@pets/contracts';
import { sql } from 'kysely';
import { joinOrganization, sendAs, type Member } from './member-steps.js';
import { asPerson, invite, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture();
  ({ provider, api } = fixture);
});
afterAll(() => fixture.close());

const join = (key: string, role: Role) => joinOrganization({ api, provider }, key, role);
const send = (member: Member, method: string, path: string) => sendAs(api, member, method, path);

describe('invitations', () => {
  it('are listed until they are used or deleted, without their link', async () => {
    const { key } = await api.createOrganization('pro');
    const created = await api.request<CreatedInvitation>('POST', '/v1/invitations', {
      key,
      body: { name: 'Ada', role: 'admin' },
    });
    const list = async () => (await api.request<Invitation[]>('GET', '/v1/invitations', { key })).body;
    const { url, ...shown } = created.body;
    expect(url).toMatch(/^https:\/\/api\.example\/dashboard\/invitation#[\w-]{43}$/);
    expect(await list()).toEqual([shown]);
    expect((await api.request('DELETE', `/v1/invitations/${shown.id}`, { key })).status).toBe(204);
    expect(await list()).toEqual([]);
    const { rows } = await sql<{ row: string }>`select invitations::text as row from invitations`.execute(api.db);
    expect(rows.map(({ row }) => row).join()).not.toContain(url.split('#')[1]);
  });

  it('for an owner are deleted by owners only', async () => {
    const { key } = await api.createOrganization('pro');
    const [owner, admin] = [await join(key, 'owner'), await join(key, 'admin')];
    const create = async (role: Role) =>
      (await api.request<Invitation>('POST', '/v1/invitations', { key, body: { name: 'X', role } })).body.id;
    const [ofOwner, ofAdmin] = [await create('owner'), await create('admin')];
    const statuses = [];
    for (const [member, id] of [
      [admin, ofOwner],
      [admin, ofAdmin],
      [owner, ofOwner],
      [owner, ofOwner],
    ] as const)
      statuses.push(await send(member, 'DELETE', `/v1/invitations/${id}`));
    expect(statuses).toEqual([403, 204, 204, 404]);
  });

  it('are void once their creator’s key is revoked', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    const inviter = await api.createKey(organizationId);
    const invitation = await invite(api, inviter, 'owner');
    const keys = await api.request<ApiKey[]>('GET', '/v1/api-keys', { key });
    await api.request('DELETE', `/v1/api-keys/${keys.body.at(-1)?.id}`, { key });
    provider.setAccount('void', { name: 'Void' });
    expect((await signIn(api, 'void', { invitation })).refusal?.reason).toBe('invitation_invalid');
    expect((await api.request('GET', '/v1/invitations', { key })).body).toEqual([]);
  });

  it('are void once their creator has a lower role, also after they get the higher one again', async () => {
    const { key } = await api.createOrganization('pro');
    const admin = await join(key, 'admin');
    const body = { name: 'X', role: 'admin' };
    await api.request('POST', '/v1/invitations', asPerson(admin.cookie, { body }));
    const list = async () => (await api.request<Invitation[]>('GET', '/v1/invitations', { key })).body;
    expect(await list()).toHaveLength(1);
    for (const role of ['viewer', 'admin'])
      await api.request('PATCH', `/v1/people/${admin.id}`, { key, body: { role } });
    expect(await list()).toEqual([]);
  });

  it('of an organization are at most 100', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await sql`insert into invitations (organization_id, name, role, hash, expires_at)
      select ${organizationId}, 'x', 'viewer', sha256(n::text::bytea), now() + interval '1 day'
      from generate_series(1, 100) n`.execute(api.db);
    const body = { name: 'X', role: 'viewer' };
    expect((await api.request('POST', '/v1/invitations', { key, body })).status).toBe(409);
    await sql`update invitations set expires_at = now() - interval '1 hour' where organization_id = ${organizationId}`.execute(
      api.db,
    );
    expect((await api.request('POST', '/v1/invitations', { key, body })).status).toBe(201);
  });
});
