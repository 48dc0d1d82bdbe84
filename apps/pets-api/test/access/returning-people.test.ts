import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Invitation, Person, Role } from '@pets/contracts';
import { sql } from 'kysely';
import { asPerson, invite, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

/** Sign-ins of people who belong to the organization already. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture({ OIDC_ORGANIZATION_CLAIM: 'organization' });
  ({ provider, api } = fixture);
});
afterAll(() => fixture.close());

const listPeople = async (key: string) =>
  (await api.request<Person[]>('GET', '/v1/people', { key })).body.map(({ name, role }) => `${name} ${role}`);

/** Signs in with an organization in the claim, or without one. */
async function enter(account: string, organization?: string, invitation?: string) {
  provider.setAccount(account, { name: account, organization });
  return signIn(api, account, invitation === undefined ? {} : { invitation });
}

/** An organization with people who were invited. */
async function createOrganization(members: Readonly<Record<string, Role>>) {
  const created = await api.createOrganization('pro');
  for (const [account, role] of Object.entries(members))
    await enter(account, undefined, await invite(api, created.key, role));
  return created;
}

describe('an invitation that a member opens', () => {
  it('is used up, and keeps somebody whom a claim added without the claim', async () => {
    const { key, organizationId } = await createOrganization({ ada: 'owner' });
    await enter('bo', organizationId);
    const invitation = await invite(api, key, 'viewer');
    expect((await enter('bo', organizationId, invitation)).refusal).toBeNull();
    expect((await api.request<Invitation[]>('GET', '/v1/invitations', { key })).body).toEqual([]);
    expect((await enter('cy', undefined, invitation)).refusal?.reason).toBe('invitation_invalid');
    expect((await enter('bo')).refusal).toBeNull();
    expect(await listPeople(key)).toEqual(['ada owner', 'bo viewer']);
  });

  it('gives a higher role, also to open sessions, and takes none', async () => {
    const { key } = await createOrganization({ dee: 'owner', eve: 'viewer', fay: 'admin' });
    const { cookie } = await enter('eve');
    await enter('eve', undefined, await invite(api, key, 'developer'));
    const body = { name: 'Rex', categoryId: 1 };
    expect((await api.request('POST', '/v1/pets', asPerson(cookie, { body }))).status).toBe(201);
    await enter('fay', undefined, await invite(api, key, 'viewer'));
    await enter('dee', undefined, await invite(api, key, 'admin'));
    expect(await listPeople(key)).toEqual(['dee owner', 'eve developer', 'fay admin']);
  });

  it('gives nothing once its creator has lost the role, and does not stop the sign-in', async () => {
    const { key, organizationId } = await createOrganization({ gus: 'owner', hal: 'viewer' });
    const inviter = await api.createKey(organizationId);
    const invitation = await invite(api, inviter, 'owner');
    await sql`update api_keys set scopes = array['pets:read'] where id =
      (select api_key_id from invitations where organization_id = ${organizationId})`.execute(api.db);
    expect((await enter('hal', undefined, invitation)).refusal).toBeNull();
    expect(await listPeople(key)).toEqual(['gus owner', 'hal viewer']);
  });

  it('is used by one of two who open it at once', async () => {
    const { key } = await createOrganization({ ian: 'owner', joy: 'viewer', kim: 'viewer' });
    const invitation = await invite(api, key, 'admin');
    await Promise.all(['joy', 'kim'].map((account) => enter(account, undefined, invitation)));
    expect((await listPeople(key)).filter((person) => person.endsWith('admin'))).toHaveLength(1);
  });
});

describe('somebody whom an owner has removed', () => {
  it('is refused', async () => {
    const { key, organizationId } = await createOrganization({ mia: 'owner' });
    await enter('noa', organizationId);
    const { body } = await api.request<Person[]>('GET', '/v1/people', { key });
    await api.request('DELETE', `/v1/people/${body.find(({ name }) => name === 'noa')?.id}`, { key });
    expect((await enter('noa', organizationId)).refusal?.reason).toBe('removed');
  });
});
