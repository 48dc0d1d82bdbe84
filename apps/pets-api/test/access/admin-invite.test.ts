import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, Person } from '@pets/contracts';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { ORIGIN, signIn, startSignInFixture, type SignInFixture } from './person-client.js';

let fixture: SignInFixture;
let provider: SignInFixture['provider'];
let api: SignInFixture['api'];
beforeAll(async () => {
  fixture = await startSignInFixture();
  ({ provider, api } = fixture);
});
afterAll(() => fixture.close());

const config = { ENVIRONMENT: 'production', PUBLIC_URL: ORIGIN } as const;

const invite = (
  organization: string,
  options: readonly string[],
  settings: Parameters<typeof runAdminCommand>[2] = config,
) => runAdminCommand(['invite', '--organization', organization, ...options], api.db, settings);

describe('the command `admin invite`', () => {
  it('prints a link with which the first owner signs in', async () => {
    const { key, organizationId } = await api.createOrganization('pro');
    const printed = (await invite(organizationId, ['--name', 'Ada Lovelace', '--by', 'Root'])) as { url: string };
    expect(printed).toEqual({
      url: expect.stringMatching(/^https:\/\/api\.example\/dashboard\/invitation#[\w-]{43}$/),
      role: 'owner',
      expiresAt: expect.any(String),
    });
    provider.setAccount('ada', { name: 'Ada' });
    const { refusal } = await signIn(api, 'ada', { invitation: new URL(printed.url).hash.slice(1) });
    expect(refusal).toBeNull();
    const people = await api.request<Person[]>('GET', '/v1/people', { key });
    expect(people.body).toMatchObject([{ name: 'Ada', role: 'owner' }]);
    const { body } = await api.request<AuditEvent[]>('GET', '/v1/audit-events', { key });
    expect(body.find(({ type }) => type === 'invitation.created')).toMatchObject({
      actor: { kind: 'operator', display: 'Root' },
      detail: { name: 'Ada Lovelace', role: 'owner' },
    });
  });

  it('takes the origin of the dashboard', async () => {
    const { organizationId } = await api.createOrganization('pro');
    const settings = { ENVIRONMENT: 'production', DASHBOARD_ORIGIN: 'https://app.example' } as const;
    const { url } = (await invite(organizationId, ['--name', 'Ada'], settings)) as { url: string };
    expect(new URL(url).origin).toBe('https://app.example');
  });

  it.each([
    ['no name', [], '--name is missing'],
    ['an empty name', ['--name', ' '], '--name must not be empty'],
    ['a long name', ['--name', 'x'.repeat(101)], '--name must have at most 100 characters'],
    ['a name that lists could not show', ['--name', 'a\u202eb'], '--name must not have control'],
    ['an unknown role', ['--name', 'Ada', '--role', 'root'], '--role must be one of owner, admin, developer, viewer'],
  ])('refuses %s', async (_what, options, message) => {
    const { organizationId } = await api.createOrganization('pro');
    await expect(invite(organizationId, options)).rejects.toThrow(message);
  });

  it('refuses the default address outside development, and unknown organizations', async () => {
    const { organizationId } = await api.createOrganization('pro');
    const settings = { ...config, PUBLIC_URL: 'http://localhost:3000' };
    const name = ['--name', 'Ada'];
    await expect(invite(organizationId, name, settings)).rejects.toThrow('Set PUBLIC_URL or DASHBOARD_ORIGIN');
    await expect(invite(organizationId, name, { ...settings, ENVIRONMENT: 'development' })).resolves.toBeDefined();
    await expect(invite('00000000-0000-4000-8000-000000000000', name)).rejects.toThrow('there is no organization');
  });
});
