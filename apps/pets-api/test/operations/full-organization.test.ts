import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, AuditEvent, Organization } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { AuditLog } from '../../src/access/audit/audit-log.js';
import { DatabaseBytesRepository } from '../../src/operations/retention/database-bytes.repository.js';
import { DatabaseBytes, FullOrganizations } from '../../src/operations/retention/full-organizations.service.js';
import { ShuttingDown } from '../../src/platform/shutting-down.js';
import { startWebhookFixture, type WebhookFixture } from '../events/webhook-fixture.js';
import { backgroundTasks } from '../platform/background-tasks.js';
import { site } from '../projects/bundles.js';

let fixture: WebhookFixture;
let organizationId: string;
beforeAll(async () => {
  fixture = await startWebhookFixture();
  const { db } = fixture.api;
  ({ id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow());
});
afterAll(() => fixture.close());

/** Estimates the bytes of all organizations now. */
async function estimate(): Promise<void> {
  const { db } = fixture.api;
  const repository = new DatabaseBytesRepository(db);
  const tasks = backgroundTasks(createLogger('bytes', 'silent'));
  await sql`update retention_tasks set next_at = now() where name = 'database_bytes'`.execute(db);
  await new DatabaseBytes(repository, new FullOrganizations(db, new AuditLog()), tasks, new ShuttingDown()).run();
}

const limitBytes = (value: number) =>
  sql`insert into organization_limits (organization_id, name, value) values (${organizationId}, 'databaseBytes', ${Math.floor(value)})
    on conflict (organization_id, name) do update set value = excluded.value`.execute(fixture.api.db);

const read = async () =>
  (await fixture.api.request<Organization>('GET', '/v1/organization', { key: fixture.key })).body;

const countOf = async (endpointId: string) => {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*)::integer as count from webhook_deliveries where endpoint_id = ${endpointId}
    group by state`.execute(fixture.api.db);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};

/** Deliveries of an hour ago. */
const fill = (endpointId: string, state: 'pending' | 'delivered', count: number) =>
  sql`insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, body, state, created_at, due_at)
    select ${endpointId}, 'pet.created', n::text, 1, repeat(md5(n::text), 40), ${state}, now() - interval '1 hour',
      case when ${state} = 'pending' then now() + interval '1 day' end
    from generate_series(1, ${count}) n`.execute(fixture.api.db);

describe('an organization that has used its bytes', () => {
  it('loses finished deliveries, then its endpoints with waiting ones pause until it is below the limit', async () => {
    const { api, key } = fixture;
    const [busy, idle] = [await fixture.create(['pet.created']), await fixture.create(['pet.created'])];
    await fill(busy.id, 'delivered', 1_500);
    await fill(busy.id, 'pending', 1_000);
    await estimate();
    const used = Number((await read()).usage.databaseBytes);
    expect(used).toBeGreaterThan(2_500 * 1_280);
    expect(used).toBeLessThan(2_500 * 1_280 * 2);

    await limitBytes(used * 0.9);
    await estimate();
    const left = await countOf(busy.id);
    expect(left['pending']).toBe(1_000);
    expect(left['delivered']).toBeLessThan(1_500);
    expect((await fixture.get(busy.id)).pausedAt).toBeNull();

    await limitBytes(500_000);
    await estimate();
    expect(await countOf(busy.id)).toEqual({ pending: 1_000 });
    expect(await fixture.get(busy.id)).toMatchObject({ enabled: true, pausedAt: expect.any(String) });
    expect((await fixture.get(idle.id)).pausedAt).toBeNull();

    await fixture.createPet();
    expect(await countOf(busy.id)).toEqual({ pending: 1_000 });
    expect(await countOf(idle.id)).toEqual({ pending: 1 });
    const headers = { 'content-type': 'application/gzip' };
    const project = await api.request<{ id: string }>('POST', '/v1/projects', {
      key,
      body: { name: 'P', slug: 'full' },
    });
    expect(project.status).toBe(201);
    const path = `/v1/projects/${project.body.id}`;
    expect(await api.request<ApiError>('POST', `${path}/deployments`, { key, body: site, headers })).toMatchObject({
      status: 403,
      body: { code: 'storage_limit_reached' },
    });

    await limitBytes(100_000_000);
    await estimate();
    expect((await fixture.get(busy.id)).pausedAt).toBeNull();
    const deploy = async () =>
      (await api.request('POST', `${path}/deployments`, { key, body: site, headers })).status === 201;
    await waitUntil(deploy, { timeoutMs: 10_000, message: 'the limit applies' });
    const events = (await api.request<AuditEvent[]>('GET', '/v1/audit-events', { key })).body;
    const ofBusy = events.filter(({ subject }) => subject.id === busy.id).map(({ type, actor }) => [type, actor.kind]);
    expect(ofBusy.slice(0, 2)).toEqual([
      ['webhook_endpoint.resumed', 'system'],
      ['webhook_endpoint.paused', 'system'],
    ]);

    const domains = `${path}/domains`;
    expect((await api.request('POST', domains, { key, body: { name: 'a.full-one.com' } })).status).toBe(201);
    await limitBytes(1);
    await estimate();
    expect(await api.request<ApiError>('POST', domains, { key, body: { name: 'b.full-one.com' } })).toMatchObject({
      status: 403,
      body: { code: 'storage_limit_reached' },
    });
    expect((await api.request('POST', `${domains}/a.full-one.com/verify`, { key })).status).toBe(202);
    expect((await api.request('DELETE', `${domains}/a.full-one.com`, { key })).status).toBeLessThan(300);
  });
});
