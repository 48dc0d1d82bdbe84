import { randomUUID } from 'node:crypto';
import { scopesOfRole, type Invitation, type Organization, type Role } from '@pets/contracts';
import type { IdentityProvider } from '@pets/testing';
import { ApiKeysRepository } from '../../src/access/api-keys/api-keys.repository.js';
import { PeopleRepository } from '../../src/access/people/people.repository.js';
import type { TestApi } from '../harness.js';
import { asPerson, invite, signIn } from './person-client.js';

export interface Member {
  readonly id: string;
  readonly cookie: string;
}

let accounts = 0;

/** Adds somebody new to the organization of a key. */
export async function joinOrganization(
  { api, provider }: { readonly api: TestApi; readonly provider: IdentityProvider },
  key: string,
  role: Role,
): Promise<Member> {
  const account = `account-${(accounts += 1)}`;
  provider.setAccount(account, { name: `${role} ${accounts}`, email: `${account}@example.com` });
  const { cookie } = await signIn(api, account, { invitation: await invite(api, key, role) });
  const { body } = await api.request<Organization>('GET', '/v1/organization', asPerson(cookie));
  return { id: body.caller.person?.id ?? '', cookie };
}

/** A request of the dashboard. @returns the status */
export async function sendAs(
  api: TestApi,
  { cookie }: Member,
  method: string,
  path: string,
  body?: unknown,
): Promise<number> {
  return (await api.request(method, path, asPerson(cookie, { ...(body !== undefined && { body }) }))).status;
}

/** For invitations. Nothing contacts it before somebody signs in. */
export const unusedProvider = {
  OIDC_ISSUER_URL: 'https://id.example',
  OIDC_CLIENT_ID: 'pets',
  OIDC_CLIENT_SECRET: 'unused',
};

/** Adds somebody as a sign-in does. @returns the id */
export async function insertPerson(api: TestApi, organizationId: string, role: Role): Promise<string> {
  const [keys, people] = [api.service(ApiKeysRepository), api.service(PeopleRepository)];
  return api.db.transaction().execute(async (tx) => {
    const apiKeyId = await keys.insertForPerson(tx, organizationId, scopesOfRole[role]);
    const identity = { issuer: unusedProvider.OIDC_ISSUER_URL, subject: randomUUID(), name: role, email: null };
    const person = { organizationId, apiKeyId, role, ...identity, isAddedByClaim: false };
    return (await people.insert(tx, person, new Date())).id;
  });
}

type Paths = readonly Readonly<Record<string, string>>[];

/** Parameters of paths, by what they name. */
export interface AddedPeople {
  readonly people: Paths;
  /** People who may be removed without anybody missing them. */
  readonly removablePeople: Paths;
  readonly invitations: Paths;
}

/** Adds viewers to the organization of a project, and invites more with its key. */
export async function addPeople(
  api: TestApi,
  { key, projectId }: { readonly key: string; readonly projectId: string },
): Promise<AddedPeople> {
  const organizationId = await organizationOf(api, projectId);
  const addViewer = async () => ({ personId: await insertPerson(api, organizationId, 'viewer') });
  const people = [await addViewer(), await addViewer(), await addViewer()];
  const removablePeople = [await addViewer(), await addViewer(), await addViewer()];
  const invitations: { readonly invitationId: string }[] = [];
  for (const name of ['Ada', 'Bo', 'Cy']) {
    const invited = await api.request<Invitation>('POST', '/v1/invitations', { key, body: { name, role: 'viewer' } });
    invitations.push({ invitationId: invited.body.id });
  }
  return { people, removablePeople, invitations };
}

/** The organization of a project. */
export async function organizationOf(api: TestApi, projectId: string): Promise<string> {
  const { organization_id: organizationId } = await api.db
    .selectFrom('projects')
    .select('organization_id')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return organizationId;
}
