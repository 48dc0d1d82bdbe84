import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, AuditEvent, DomainImport, DomainImportLine } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import type { DomainFixture, Tenant } from '../domain-fixture.js';
import type { ApiResponse } from '../harness.js';
import { startOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
let domainFixture: DomainFixture;
beforeAll(async () => {
  fixture = await startOperatorFixture();
  ({ domainFixture } = fixture);
});
afterAll(() => fixture.close());

const path = ({ projectId }: Pick<Tenant, 'projectId'>) => `/v1/projects/${projectId}/domain-imports`;

interface Upload {
  readonly action?: 'add' | 'remove';
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const upload = <Body = DomainImport>(
  owner: Tenant,
  file: string,
  { action = 'add', type = 'application/x-ndjson', headers = {} }: Upload = {},
): Promise<ApiResponse<Body>> =>
  domainFixture.api.request<Body>('POST', `${path(owner)}?action=${action}`, {
    key: owner.key,
    body: Buffer.from(file),
    headers: { 'content-type': type, ...headers },
  });

/** An upload whose body the caller writes. */
function openUpload(owner: Tenant, type: string): ClientRequest {
  return httpRequest(`${domainFixture.api.url}${path(owner)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': type },
  });
}

const ndjson = (names: readonly string[]) => names.map((name) => `${JSON.stringify({ name })}\n`).join('');
const numbered = (count: number, zone: string) => Array.from({ length: count }, (_, index) => `d${index}.${zone}`);

const get = async (owner: Tenant, id: string) =>
  (await fixture.ask<DomainImport>(owner, 'GET', `${path(owner)}/${id}`)).body;

async function ended(owner: Tenant, id: string): Promise<DomainImport> {
  let last = await get(owner, id);
  await waitUntil(async () => (last = await get(owner, id)).state !== 'running', {
    timeoutMs: 30_000,
    message: 'the import has ended',
  });
  return last;
}

async function report(owner: Tenant, id: string): Promise<string> {
  return (await fixture.ask(owner, 'GET', `${path(owner)}/${id}/report`)).text;
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DomainImportLine);

const auditOf = async (owner: Tenant) =>
  (await fixture.ask<AuditEvent[]>(owner, 'GET', '/v1/audit-events?limit=100')).body;

describe('an import', () => {
  it('adds each name once, with a report of every line, and removes them again', async () => {
    const owner = await domainFixture.tenant();
    const names = numbered(250, 'import-one.com');
    const file = `${ndjson(names)}oops\n"*.import-one.com"\n${ndjson(names.slice(0, 2))}`;
    const started = await upload(owner, file);
    expect(started).toMatchObject({ status: 201, body: { state: 'running', lines: 254, action: 'add' } });
    expect(started.headers.get('location')).toBe(`${path(owner)}/${started.body.id}`);
    const { id } = started.body;
    expect(await ended(owner, id)).toMatchObject({
      state: 'finished',
      done: 254,
      results: { created: 250, exists: 2, removed: 0, refused: 2 },
    });
    const lines = linesOf(await report(owner, id));
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.map(({ name }) => name)).toEqual([...names, null, '*.import-one.com', ...names.slice(0, 2)]);
    expect(lines.slice(250, 252).map(({ error }) => error?.code)).toEqual([
      'invalid_parameter',
      'wildcard_needs_dns_challenge',
    ]);
    expect(await owner.get(names[7] ?? '')).toMatchObject({ id: lines[7]?.id, records: lines[7]?.records });
    // One event for all names, whose own histories say who added them.
    const audited = (await auditOf(owner)).filter(({ type }) => type.startsWith('domain'));
    expect(audited).toMatchObject([
      { type: 'domain_import.created', actor: { kind: 'api_key' }, address: '127.0.0.1', detail: { lines: 254 } },
    ]);
    expect((await owner.events(names[7] ?? ''))[0]).toMatchObject({ type: 'owner.added', actor: expect.anything() });

    const csv = `name\r\n${names.join('\r\n')}\r\nunknown.import-one.com\r\n`;
    const removal = (await upload(owner, csv, { action: 'remove', type: 'text/csv' })).body;
    expect(await ended(owner, removal.id)).toMatchObject({
      state: 'finished',
      pendingEdges: 0,
      results: { removed: 250, refused: 1 },
    });
    const table = (await report(owner, removal.id)).split('\r\n');
    expect(table[0]).toBe(
      'line,name,result,id,record_type,record_name,record_value,error_code,error_message,external_id',
    );
    expect(table[1]).toBe(`1,d0.import-one.com,removed,${lines[0]?.id},,,,,,`);
    expect(table[251]).toMatch(/^251,unknown\.import-one\.com,refused,,,,,not_found,/);
    expect((await owner.get(names[7] ?? '')).state).toBe('removed');
    const list = (await fixture.ask<DomainImport[]>(owner, 'GET', path(owner))).body;
    expect(list.map((each) => each.id)).toEqual([removal.id, id]);
  });

  it('stores the external ids and the metadata of its lines', async () => {
    const owner = await domainFixture.tenant();
    const csv =
      'name,external_id,metadata.tier\na.import-six.com,c-1,gold\nb.import-six.com,,\nc.import-six.com,c-3,\n';
    const { id } = (await upload(owner, csv, { type: 'text/csv' })).body;
    expect(await ended(owner, id)).toMatchObject({ results: { created: 3 } });
    expect(await owner.get('a.import-six.com')).toMatchObject({ externalId: 'c-1', metadata: { tier: 'gold' } });
    expect(await owner.get('b.import-six.com')).toMatchObject({ externalId: null, metadata: {} });
    expect(
      (await report(owner, id))
        .split('\r\n')
        .slice(1, 4)
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['c-1', '', 'c-3']);

    const lines = [
      { name: 'a.import-six.com', externalId: 'other' },
      { name: 'd.import-six.com', metadata: { tier: 1 } },
    ];
    const again = (await upload(owner, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))).body;
    expect(await ended(owner, again.id)).toMatchObject({ results: { exists: 1, refused: 1 } });
    expect(linesOf(await report(owner, again.id))[1]).toMatchObject({
      name: 'd.import-six.com',
      error: { code: 'invalid_parameter', message: expect.stringContaining('metadata: tier: ') },
    });
    expect(await owner.get('a.import-six.com')).toMatchObject({ externalId: 'c-1' });
  });

  it('continues after a crash in the middle of a piece, with each line done once', async () => {
    const owner = await domainFixture.tenant();
    const { db } = domainFixture.api;
    // The piece fails after its domains were inserted.
    await sql`create function break_piece() returns trigger language plpgsql as $$
      begin raise exception 'the connection broke'; end $$`.execute(db);
    await sql`create trigger break_piece before update of results on domain_import_pieces
      for each row when (new.number = 1) execute function break_piece()`.execute(db);
    const names = numbered(250, 'import-two.com');
    const { id } = (await upload(owner, ndjson(names))).body;
    const failures = async () =>
      (await db.selectFrom('domain_imports').select('failures_in_a_row').where('id', '=', id).executeTakeFirstOrThrow())
        .failures_in_a_row;
    await waitUntil(async () => (await failures()) > 0, { timeoutMs: 15_000, message: 'the piece failed' });
    expect(await get(owner, id)).toMatchObject({ state: 'running', done: 100 });
    expect(linesOf(await report(owner, id))).toHaveLength(100);
    await sql`drop trigger break_piece on domain_import_pieces`.execute(db);
    expect(await ended(owner, id)).toMatchObject({ state: 'finished', results: { created: 250, exists: 0 } });
    expect(new Set(linesOf(await report(owner, id)).map((line) => line.id)).size).toBe(250);
  });

  it('is done by several replicas, each piece once, and ends when it is cancelled or its key is revoked', async () => {
    const owner = await domainFixture.tenant();
    const second = await domainFixture.api.startReplica();
    const names = numbered(600, 'import-three.com');
    const { id } = (await upload(owner, ndjson(names))).body;
    const cancelled = await fixture.ask<DomainImport>(owner, 'POST', `${path(owner)}/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    const repeated = await fixture.ask<DomainImport>(owner, 'POST', `${path(owner)}/${id}/cancel`);
    expect(repeated.body).toEqual(cancelled.body);
    expect((await report(owner, id)).match(/\n/g) ?? []).toHaveLength(cancelled.body.done);

    const again = (await upload(owner, ndjson(names))).body;
    const { results } = await ended(owner, again.id);
    expect(results).toMatchObject({ created: 600 - cancelled.body.done, exists: cancelled.body.done });
    await second.stopApi();

    const organizationId = await fixture.organizationOf(owner);
    const other = { ...owner, key: await domainFixture.api.createKey(organizationId) };
    await domainFixture.api.db
      .updateTable('api_keys')
      .set({ revoked_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where('id', '<>', (await newestKey(organizationId)).id)
      .execute();
    await domainFixture.api.db
      .updateTable('domain_imports')
      .set({ state: 'running', next_piece: 0 })
      .where('id', '=', id)
      .execute();
    expect(await ended(other, id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('API key') });
  });

  it('of nothing but empty lines is refused', async () => {
    const owner = await domainFixture.tenant();
    // A body without an end: that a connection is closed must not depend on how much has arrived when the answer is made.
    const request = openUpload(owner, 'text/csv');
    request.write(`name\n${'\n'.repeat(200_000)}`);
    const [answer] = (await once(request, 'response')) as [IncomingMessage]; // the event's parameter
    const body = await json(answer);
    request.on('error', () => undefined).destroy();
    expect(body).toMatchObject({ code: 'invalid_import', message: expect.stringContaining('100000 lines') });
    // The rest of the file is not read, so nothing can follow it on the connection.
    expect(answer.headers.connection).toBe('close');
  });

  it('is ended when it arrives too slowly', async () => {
    const request = openUpload(await domainFixture.tenant(), 'application/x-ndjson');
    const timer = setInterval(() => request.write('"a"\n'), 500);
    const [answer] = (await once(request, 'response')) as [IncomingMessage]; // the event's parameter
    clearInterval(timer);
    request.on('error', () => undefined).destroy();
    expect(answer.statusCode).toBe(408);
  });

  it('is refused as a whole when the file is not valid, or the project cannot have domains', async () => {
    const owner = await domainFixture.tenant();
    const refused = async (file: string, options?: Upload) => (await upload<ApiError>(owner, file, options)).body.code;
    expect(await refused('')).toBe('invalid_import');
    expect(await refused('domain\na.com\n', { type: 'text/csv' })).toBe('invalid_import');
    for (const type of ['application/gzip', 'application/vnd.ms-excel'])
      expect((await upload<ApiError>(owner, 'a', { type })).body).toMatchObject({
        code: 'unsupported_media_type',
        message: 'The body must be application/x-ndjson or text/csv.',
      });
    expect(await refused('{}', { type: 'application/json' })).toBe('unsupported_media_type');
    expect(await refused('"a"', { headers: { 'content-encoding': 'gzip' } })).toBe('unsupported_media_type');
    const empty = { ...owner, projectId: await domainFixture.createProject(owner.key, false) };
    expect((await upload<ApiError>(empty, '"a.com"')).body.code).toBe('deployment_required');
    const { rows } = await sql`select from domain_imports i join projects p on p.id = i.project_id
      where p.id in (${owner.projectId}, ${empty.projectId})`.execute(domainFixture.api.db);
    expect(rows).toHaveLength(0);
    const other = await domainFixture.tenant();
    const { id } = (await upload(owner, '"a.import-four.com"')).body;
    expect((await fixture.ask<ApiError>({ key: other.key }, 'GET', `${path(owner)}/${id}`)).status).toBe(404);
    expect((await fixture.ask<ApiError>(other, 'GET', `${path(other)}/${id}/report`)).status).toBe(404);
  });

  it('is one of at most five at a time of an organization, and one for each idempotency key', async () => {
    const owner = await domainFixture.tenant();
    const headers = { 'idempotency-key': 'import-once' };
    const [first, again] = [
      await upload(owner, '"a.import-five.com"', { headers }),
      await upload(owner, '"a.import-five.com"', { headers }),
    ];
    expect(again.body).toEqual(first.body);
    expect((await upload<ApiError>(owner, '"b.import-five.com"', { headers })).body.code).toBe(
      'idempotency_key_reused',
    );
    await ended(owner, first.body.id);
    const hold = (until: string) =>
      sql`update domain_imports set state = 'running', ended_at = null, due_at = ${until}::timestamptz
        where project_id = ${owner.projectId}`.execute(domainFixture.api.db);
    for (let nth = 0; nth < 4; nth++) await ended(owner, (await upload(owner, '"a.import-five.com"')).body.id);
    await hold('infinity');
    expect(await upload<ApiError>(owner, '"c.import-five.com"')).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
    });
    await hold('-infinity');
    await waitUntil(async () => (await upload(owner, '"c.import-five.com"')).status === 201, {
      timeoutMs: 15_000,
      message: 'a place is free',
    });
  });
});

async function newestKey(organizationId: string): Promise<{ id: string }> {
  return domainFixture.api.db
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}
