import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, DomainImport, Organization } from '@pets/contracts';
import { sql } from 'kysely';
import { startTestApi, type ApiResponse, type TestApi } from '../harness.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Importer {
  readonly organizationId: string;
  readonly key: string;
  readonly path: string;
}

/** A free organization may remove domains with a file, and needs no deployment for it. */
async function importer(): Promise<Importer> {
  const { organizationId, key } = await api.createOrganization('free');
  const body = { name: 'P', slug: `p-${organizationId.slice(0, 8)}` };
  const { id } = (await api.request<{ id: string }>('POST', '/v1/projects', { key, body })).body;
  return { organizationId, key, path: `/v1/projects/${id}/domain-imports` };
}

const send = <Body = DomainImport>({ key, path }: Importer, file: Buffer): Promise<ApiResponse<Body>> =>
  api.request<Body>('POST', `${path}?action=remove`, {
    key,
    body: file,
    headers: { 'content-type': 'application/x-ndjson' },
  });

const cancel = ({ key, path }: Importer, id: string) =>
  api.request<DomainImport>('POST', `${path}/${id}/cancel`, { key });

const limit = ({ organizationId }: Importer, name: string, value: number) =>
  sql`insert into organization_limits (organization_id, name, value) values (${organizationId}, ${name}, ${value})
    on conflict (organization_id, name) do update set value = excluded.value`.execute(api.db);

const usageOf = async ({ key }: Importer) =>
  (await api.request<Organization>('GET', '/v1/organization', { key })).body.usage;

/** Bytes of the pieces that are not deleted. */
async function storedBytes({ organizationId }: Importer): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(length(p.lines::text) + coalesce(length(p.results::text), 0)), 0)::integer as bytes
    from domain_import_pieces p join domain_imports i on i.id = p.import_id
    where i.organization_id = ${organizationId}`.execute(api.db);
  return rows[0]?.bytes ?? 0;
}

const file = (lines: number) => Buffer.from(`"${'a'.repeat(200)}.example"\n`.repeat(lines));

describe('the bytes of imports', () => {
  it('are gone when the import is cancelled, but for the report of what was done', async () => {
    const owner = await importer();
    for (let nth = 0; nth < 3; nth++) {
      const { status, body } = await send(owner, file(10_000));
      expect(status).toBe(201);
      expect((await cancel(owner, body.id)).body).toMatchObject({ state: 'cancelled' });
    }
    const { rows } = await sql<{ undone: number }>`
      select count(*)::integer as undone from domain_import_pieces p join domain_imports i on i.id = p.import_id
      where i.organization_id = ${owner.organizationId} and p.results is null`.execute(api.db);
    expect(rows).toEqual([{ undone: 0 }]);
    expect(await storedBytes(owner)).toBeLessThan(1_000_000);
  });

  it('are limited by day, cancelled and unfinished uploads included', async () => {
    const owner = await importer();
    const whole = file(1_000);
    await limit(owner, 'importBytesPerDay', 2 * whole.length + 10);
    expect((await usageOf(owner)).importBytesPerDay).toBe(0);
    await cancel(owner, (await send(owner, whole)).body.id);
    expect((await usageOf(owner)).importBytesPerDay).toBe(whole.length);
    // Refused as a whole, after its bytes have come.
    expect((await send<ApiError>(owner, Buffer.concat([whole.subarray(0, -1), Buffer.from([0xff])]))).status).toBe(400);
    const refused = await send<ApiError>(owner, whole);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    expect((await send(owner, Buffer.from('"a.com"\n'))).status).toBe(201);
  });

  it('of an upload without a length are cut at the limit of the day, also of several at once', async () => {
    const owner = await importer();
    const whole = file(1_000);
    await limit(owner, 'importBytesPerDay', Math.floor(1.5 * whole.length));
    const stream = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(whole));
          controller.close();
        },
      });
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => {
        const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${owner.key}` };
        const init = { method: 'POST', headers, body: stream(), duplex: 'half' } as const;
        const answer = await fetch(`${api.url}${owner.path}?action=remove`, init);
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1);
    expect(statuses).toContain(429);
    expect((await usageOf(owner)).importBytesPerDay).toBeLessThanOrEqual(1.5 * whole.length);
  });

  it('are refused where they exceed the storage of the organization', async () => {
    const owner = await importer();
    const whole = file(1_000);
    await limit(owner, 'databaseBytes', Math.floor(1.5 * whole.length));
    const first = await send(owner, whole);
    expect(first.status).toBe(201);
    expect(await send<ApiError>(owner, whole)).toMatchObject({ status: 403, body: { code: 'storage_limit_reached' } });
    await cancel(owner, first.body.id);
    expect((await send(owner, whole)).status).toBe(201);
  });
});
