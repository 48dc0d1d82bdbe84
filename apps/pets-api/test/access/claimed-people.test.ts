import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, Person } from '@pets/contracts';
import { runRetention } from '../operations/retention-fixture.js';
import { asPerson, invite, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

/** Memberships that a claim of the identity provider began, and how they end. */

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture({ OIDC_ORGANIZATION_CLAIM: 'organization', OIDC_ROLE_CLAIM: 'role' });
  ({ provider, api } = fixture);
});
afterAll(() => fixture.close());

interface Member {
  readonly account: string;
  readonly organization: unknown;
  readonly role?: unknown;
  readonly invitation?: string;
}

/** Signs in with these claims. */
async function enter({ account, organization, role, invitation }: Member) {
  provider.setAccount(account, { name: account, organization, role });
  return signIn(api, account, invitation === undefined ? {} : { invitation });
}

const namesIn = async (key: string) =>
  (await api.request<Person[]>('GET', '/v1/people', { key })).body.map(({ name, role }) => `${name} ${role}`);
const statusOf = async (cookie: string) => (await api.request('GET', '/v1/projects', asPerson(cookie))).status;

/** An organization with an owner who was invited. */
async function createOrganization(owner: string) {
  const created = await api.createOrganization('pro');
  await enter({ account: owner, organization: undefined, invitation: await invite(api, created.key, 'owner') });
  return created;
}

describe('without the claim, somebody whom it added', () => {
  it.each([
    ['gone', undefined],
    ['no id', 'Acme'],
    ['a list without the organization', ['00000000-0000-4000-8000-000000000000']],
  ])('is refused, loses all sessions and leaves the list: %s', async (name, organization) => {
    const { key, organizationId } = await createOrganization(`owner, ${name}`);
    const account = `ann, ${name}`;
    const sessions = [];
    for (let count = 0; count < 2; count += 1)
      sessions.push((await enter({ account, organization: organizationId })).cookie);
    expect(await Promise.all(sessions.map(statusOf))).toEqual([200, 200]);
    expect((await enter({ account, organization })).refusal).toEqual({ reason: 'no_organization', name: account });
    expect(await Promise.all(sessions.map(statusOf))).toEqual([401, 401]);
    expect(await namesIn(key)).toEqual([`owner, ${name} owner`]);
  });

  it('comes back with it, without an invitation, and the audit log says why they left', async () => {
    const { key, organizationId } = await createOrganization('owner of ben');
    await enter({ account: 'ben', organization: organizationId, role: 'admin' });
    await enter({ account: 'ben', organization: undefined });
    expect((await enter({ account: 'ben', organization: organizationId })).refusal).toBeNull();
    expect(await namesIn(key)).toEqual(['owner of ben owner', 'ben viewer']);
    const { body } = await api.request<AuditEvent[]>('GET', '/v1/audit-events', { key });
    const [removed] = body.filter(({ type }) => type === 'person.removed');
    expect(removed).toMatchObject({
      detail: { role: 'admin', by: 'claim' },
      actor: { kind: 'person', display: 'ben' },
    });
  });

  it('whom an owner then removes does not come back with it', async () => {
    const { key, organizationId } = await createOrganization('owner of cat');
    await enter({ account: 'cat', organization: organizationId });
    await enter({ account: 'cat', organization: undefined });
    await enter({ account: 'cat', organization: organizationId });
    const { body } = await api.request<Person[]>('GET', '/v1/people', { key });
    await api.request('DELETE', `/v1/people/${body.find(({ name }) => name === 'cat')?.id}`, { key });
    expect((await enter({ account: 'cat', organization: organizationId })).refusal?.reason).toBe('removed');
    await runRetention(api.db, { days: 10_000 });
    expect((await enter({ account: 'cat', organization: organizationId })).refusal?.reason).toBe('removed');
  });

  it('stays with an invitation, with its role', async () => {
    const { key, organizationId } = await createOrganization('owner of dan');
    await enter({ account: 'dan', organization: organizationId });
    const invitation = await invite(api, key, 'developer');
    expect((await enter({ account: 'dan', organization: undefined, invitation })).refusal).toBeNull();
    expect((await enter({ account: 'dan', organization: undefined })).refusal).toBeNull();
    expect(await namesIn(key)).toEqual(['owner of dan owner', 'dan developer']);
  });

  it('stays if nobody else is an owner', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await enter({ account: 'eva', organization: organizationId, role: 'owner' });
    expect((await enter({ account: 'eva', organization: undefined })).refusal).toBeNull();
    expect(await namesIn(key)).toEqual(['eva owner']);
  });

  it('stays while the operator manages nobody by claim', async () => {
    const { organizationId } = await createOrganization('owner of fin');
    await enter({ account: 'fin', organization: organizationId });
    provider.setAccount('fin', { name: 'fin' });
    const plain = await api.startReplica({ OIDC_ORGANIZATION_CLAIM: '', OIDC_ROLE_CLAIM: '' });
    expect((await signIn(plain, 'fin')).refusal).toBeNull();
  });
});

it('a claim that names another organization moves whom it added, and refuses whom somebody invited', async () => {
  const [first, second] = [await createOrganization('first owner'), await createOrganization('second owner')];
  const { cookie } = await enter({ account: 'gil', organization: first.organizationId });
  expect((await enter({ account: 'gil', organization: second.organizationId })).refusal).toBeNull();
  expect(await statusOf(cookie)).toBe(401);
  expect(await namesIn(first.key)).toEqual(['first owner owner']);
  expect(await namesIn(second.key)).toEqual(['second owner owner', 'gil viewer']);
  const moved = await enter({ account: 'first owner', organization: second.organizationId });
  expect(moved.refusal?.reason).toBe('other_organization');
});

describe('a role that a claim gave', () => {
  it.each([
    ['is missing', undefined],
    ['is empty', []],
    ['has no role of ours', 'root'],
  ])('becomes the default role once the claim %s, also in open sessions', async (name, role) => {
    const { key, organizationId } = await createOrganization(`owner, role ${name}`);
    const account = `kim, role ${name}`;
    const { cookie } = await enter({ account, organization: organizationId, role: 'admin' });
    expect((await enter({ account, organization: organizationId, role })).refusal).toBeNull();
    expect(await namesIn(key)).toEqual([`owner, role ${name} owner`, `${account} viewer`]);
    const body = { name: 'P', slug: 'p' };
    expect((await api.request('POST', '/v1/projects', asPerson(cookie, { body }))).status).toBe(403);
  });

  it('follows the claim that lists the organization with others', async () => {
    const { key, organizationId } = await createOrganization('owner of lea');
    await enter({ account: 'lea', organization: organizationId, role: 'admin' });
    const organization = ['00000000-0000-4000-8000-000000000000', organizationId];
    await enter({ account: 'lea', organization });
    expect(await namesIn(key)).toEqual(['owner of lea owner', 'lea viewer']);
    await enter({ account: 'lea', organization, role: 'developer' });
    expect(await namesIn(key)).toEqual(['owner of lea owner', 'lea developer']);
  });

  it('stays that of the last owner', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    await enter({ account: 'mia', organization: organizationId, role: 'owner' });
    expect((await enter({ account: 'mia', organization: organizationId })).refusal).toBeNull();
    expect(await namesIn(key)).toEqual(['mia owner']);
  });

  it('does not change that of somebody who was invited, without a role in the claim', async () => {
    const { key, organizationId } = await createOrganization('owner of noa');
    await enter({ account: 'noa', organization: organizationId, invitation: await invite(api, key, 'admin') });
    await enter({ account: 'noa', organization: organizationId });
    expect(await namesIn(key)).toEqual(['owner of noa owner', 'noa admin']);
  });
});

it('two people whom claims move in opposite directions at once cause no deadlock', async () => {
  const [first, second] = [await createOrganization('owner left'), await createOrganization('owner right')];
  const ids = [first.organizationId, second.organizationId];
  for (let round = 0; round < 5; round += 1) {
    const [left, right] = round % 2 === 0 ? ids : [...ids].reverse();
    const outcomes = await Promise.all([
      enter({ account: 'hal', organization: left }),
      enter({ account: 'ian', organization: right }),
    ]);
    expect(outcomes.map(({ refusal }) => refusal)).toEqual([null, null]);
  }
});

it('somebody who was invited stays whatever the claim says, until an owner removes them', async () => {
  const { key, organizationId } = await createOrganization('owner of joy');
  await enter({ account: 'joy', organization: organizationId, invitation: await invite(api, key, 'viewer') });
  const { cookie, refusal } = await enter({ account: 'joy', organization: undefined });
  expect([refusal, await statusOf(cookie)]).toEqual([null, 200]);
});

it('the organization in a claim may be in upper case', async () => {
  const { key, organizationId } = await createOrganization('owner of pia');
  const sessions = [];
  for (let count = 0; count < 2; count += 1)
    sessions.push((await enter({ account: 'pia', organization: organizationId.toUpperCase() })).cookie);
  expect(await Promise.all(sessions.map(statusOf))).toEqual([200, 200]);
  expect(await namesIn(key)).toEqual(['owner of pia owner', 'pia viewer']);
});

it('an invitation is refused to somebody whose claim names another organization, and can be used later', async () => {
  const [inviting, claimed] = [await createOrganization('owner of quin'), await createOrganization('another owner')];
  const invitation = await invite(api, inviting.key, 'viewer');
  const refused = await enter({ account: 'quin', organization: claimed.organizationId, invitation });
  expect(refused.refusal?.reason).toBe('other_organization');
  expect((await enter({ account: 'quin', organization: undefined, invitation })).refusal).toBeNull();
  expect(await namesIn(inviting.key)).toEqual(['owner of quin owner', 'quin viewer']);
});
