import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans, scopes, type Organization, type Plan } from '@pets/contracts';
import { OrganizationsRepository } from '../../src/access/organizations/organizations.repository.js';
import type { TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await shareTestApi();
});
afterAll(() => api.close());

/** The settings are the defaults of those that have no row. */
const common = { requestsPerMinute: null, eventStreams: 100, apiKeys: 100, webhookEndpoints: 20 };
const ofPlan = {
  free: {
    ...{ domainsPerProject: 0, projects: 10, concurrentUploads: 2, storageBytes: 2 ** 30, keptDeployments: 10 },
    ...{ channelsPerProject: 10, origins: 10 },
    ...{ databaseBytes: 2 ** 30, importBytesPerDay: 2 ** 27 },
  },
  pro: {
    domainsPerProject: 1000,
    projects: 100,
    concurrentUploads: 5,
    storageBytes: 20 * 2 ** 30,
    databaseBytes: 20 * 2 ** 30,
    importBytesPerDay: 2 ** 30,
    keptDeployments: 20,
    channelsPerProject: 50,
    origins: 200,
  },
  enterprise: {
    ...{ domainsPerProject: 100_000, projects: 1000, concurrentUploads: 10 },
    ...{ storageBytes: 200 * 2 ** 30, keptDeployments: 50, channelsPerProject: 50, origins: 2000 },
    ...{ databaseBytes: 200 * 2 ** 30, importBytesPerDay: 2 ** 32 },
  },
} satisfies Record<Plan, object>;

const read = (key: string) => api.request<Organization>('GET', '/v1/organization', { key });

describe('the organization', () => {
  it.each(plans)('is the one of the key, with what the plan %s allows', async (plan) => {
    const { organizationId, key } = await api.createOrganization(plan);
    const { status, body } = await read(key);
    expect(status).toBe(200);
    const usage = {
      ...{ apiKeys: 1, projects: 0, domains: 0, domainsPerProject: 0, origins: 0, webhookEndpoints: 0 },
      ...{ storageBytes: 0, databaseBytes: 0, importBytesPerDay: 0 },
    };
    const limits = { ...common, ...ofPlan[plan] };
    expect(body).toEqual({
      id: organizationId,
      name: 'Acme',
      plan,
      limits,
      usage,
      domainsEndAt: null,
      caller: { scopes, person: null },
      suspensions: [],
      notices: [],
    });
  });

  it('shows a change of plan at once', async () => {
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
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('forbidden');
  });
});
