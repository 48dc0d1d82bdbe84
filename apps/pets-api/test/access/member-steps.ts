import type { Organization, Role } from '@pets/contracts';
import type { IdentityProvider } from '@pets/testing';
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
