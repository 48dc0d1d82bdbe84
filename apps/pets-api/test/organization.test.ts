import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainsPerProject, plans, type Organization } from '@pets/contracts';
import { OrganizationsRepository } from '../src/organizations/organizations.repository.js';
import { startTestApi, type TestApi } from './harness.js';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const read = (key: string) => api.request<Organization>('GET', '/v1/organization', { key });

describe('the organization', () => {
  it.each(plans)('is the one of the key, with what the plan %s allows', async (plan) => {
    const { organizationId, key } = await api.createOrganization(plan);
    const { status, body } = await read(key);
    expect(status).toBe(200);
    const limits = { domainsPerProject: domainsPerProject[plan] };
    expect(body).toEqual({ id: organizationId, name: 'Acme', plan, limits });
  });

  it('says that a free plan includes no domains, and that others do', () => {
    expect(plans.map((plan) => domainsPerProject[plan] > 0)).toEqual([false, true, true]);
  });

  it('shows a change of the plan at once', async () => {
    const { organizationId, key } = await api.createOrganization('free');
    expect((await read(key)).body.plan).toBe('free');
    await new OrganizationsRepository(api.db).setPlan(organizationId, 'pro');
    expect((await read(key)).body.plan).toBe('pro');
  });

  it('needs the scope that projects are read with', async () => {
    const { key } = await api.createOrganization('pro');
    const body = { name: 'narrow', scopes: ['pets:read'] };
    const narrow = await api.request<{ secret: string }>('POST', '/v1/api-keys', { key, body });
    const refused = await api.request('GET', '/v1/organization', { key: narrow.body.secret });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  });
});
