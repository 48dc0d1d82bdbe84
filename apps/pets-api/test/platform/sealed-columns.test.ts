/** `keys rewrap` covers every column that the schema declares as encrypted, and nothing encrypted is in any other. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { certificateKeyBinding, PLATFORM_ORGANIZATION } from '@pets/contracts';
import { openFileStorage, parseKeyRing, readStoredCertificate, seal, sealingKeyId } from '@pets/platform';
import { createTestCa } from '@pets/testing';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { ownCertificateSteps } from '../certificates/own-certificate-steps.js';
import { makeBundle } from '../projects/bundles.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';

/** The key that the harness starts with. */
const old = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const both = `fresh:${randomBytes(32).toString('base64')},${old}`;

interface SealedColumn {
  readonly table: string;
  readonly column: string;
}

let fixture: DomainFixture;
let folder: string;
let storageUrl: string;
/** Ids of an ordered certificate, an uploaded one, and that of the platform. */
let certificateIds: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealed-columns-'));
  storageUrl = pathToFileURL(folder).href;
  fixture = await startDomainFixture(undefined, { STORAGE_URL: storageUrl });
  const steps = ownCertificateSteps(fixture);
  const { id, name } = await steps.issued();
  const ca = await (await createTestCa()).issueCa('Test Issuing CA');
  await steps.upload(id, await ca.issue({ names: [name] }));
  const { rows } = await sql<{ id: string }>`select id from certificates where domain_id = ${id}`.execute(
    fixture.api.db,
  );
  certificateIds = [...rows.map((row) => row.id), await addPlatformCertificate()];
  const { key, projectId } = fixture;
  const channel = await fixture.api.request('POST', `/v1/projects/${projectId}/deployments?channel=beta&access=link`, {
    key,
    body: makeBundle([{ path: 'index.html', content: 'preview' }]),
    headers: { 'content-type': 'application/gzip' },
  });
  expect(channel.status).toBe(201);
  for (const path of [`/v1/projects/${projectId}`, `${fixture.path()}/${id}`]) {
    const body = { url: 'https://app.example.net', headers: { 'x-platform-secret': 'S3CRET' } };
    expect((await fixture.api.request('PUT', `${path}/origin`, { key, body })).status).toBe(200);
  }
  const headers = { 'idempotency-key': `"${randomUUID()}"` };
  const hook = { projectId, url: 'https://hooks.example.com/', eventTypes: ['domain.live'] };
  const created = await fixture.api.request('POST', '/v1/webhook-endpoints', { key, headers, body: hook });
  expect(created.status).toBe(201);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

async function addPlatformCertificate(): Promise<string> {
  const [id, orderId] = [randomUUID(), randomUUID()];
  const sealedKey = seal(parseKeyRing(old), 'key', certificateKeyBinding(id, PLATFORM_ORGANIZATION));
  await sql`
    insert into platform_certificate_orders (id, name, due_at)
    values (${orderId}, '*.pets.example', now() + interval '1 day')`.execute(fixture.api.db);
  await sql`
    insert into platform_certificates (id, order_id, attempt, state, name, apex_name, directory_url, account_thumbprint,
      is_renewal, csr_pem, sealed_key, chain_pem, created_at, issued_at, not_after)
    values (${id}, ${orderId}, 1, 'issued', '*.pets.example', 'pets.example', 'http://ca.test/dir', '', false, 'csr',
      ${sealedKey}, 'chain', now(), now(), now() + interval '90 days')`.execute(fixture.api.db);
  return id;
}

const admin = (command: string) =>
  runAdminCommand(command.split(' '), fixture.api.db, {
    ...{ ENVIRONMENT: 'development', CERTIFICATE_KEKS: parseKeyRing(both), STORAGE_URL: storageUrl },
  });

async function listSealedColumns(): Promise<readonly SealedColumn[]> {
  const { rows } = await sql<SealedColumn>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and domain_name = 'sealed_text' order by 1, 2`.execute(fixture.api.db);
  return rows;
}

/** Each column with the keys that something in it is encrypted with. */
async function keysOfColumns(): Promise<Record<string, string[]>> {
  const keys: Record<string, string[]> = {};
  for (const { table, column } of await listSealedColumns()) {
    const { rows } = await sql<{ key: string }>`
      select distinct split_part(${sql.ref(column)}, '.', 2) as key from ${sql.table(table)}
      where ${sql.ref(column)} <> ''`.execute(fixture.api.db);
    keys[`${table}.${column}`] = rows.map(({ key }) => key);
  }
  return keys;
}

const keysOfRoutes = async () => {
  const { rows } = await sql<{ key: string }>`
    select split_part(route #>> '{serve,sealedHeaders}', '.', 2) as key from edge_routes
    where route #> '{serve,sealedHeaders}' is not null`.execute(fixture.api.db);
  return rows.map(({ key }) => key);
};

const keysOfObjects = async () => {
  const storage = await openFileStorage(storageUrl);
  const objects = await Promise.all(certificateIds.map((id) => readStoredCertificate(storage, id)));
  return objects.map((object) => (object === undefined ? null : sealingKeyId(object.sealedKey)));
};

const each = (names: readonly string[], key: string) => Object.fromEntries(names.map((name) => [name, [key]]));

it('is every column with an encrypted value, but the checks of the keys themselves', async () => {
  const columns = Map.groupBy(await listSealedColumns(), ({ table }) => table);
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
    and relname <> 'key_checks'`.execute(fixture.api.db);
  const others: string[] = [];
  for (const { name } of tables) {
    const sealed = (columns.get(name) ?? []).map(({ column }) => column);
    const { rows } = await sql`
      select from ${sql.table(name)} t
      where (to_jsonb(t) - ${sealed}::text[])::text ~ 'v1[.][A-Za-z0-9_-]{1,32}[.][A-Za-z0-9_-]{64,}[.]' limit 1`.execute(
      fixture.api.db,
    );
    if (rows.length > 0) others.push(name);
  }
  // The row of an origin has its headers as they are in `origins`.
  expect(others).toEqual(['edge_routes']);
});

it('is rewrapped, with the object of every certificate', async () => {
  const names = (await listSealedColumns()).map(({ table, column }) => `${table}.${column}`);
  expect(names).toContain('certificates.sealed_key');
  // A column without a value here would prove nothing.
  expect(await keysOfColumns()).toEqual(each(names, 'test'));
  // The origins of a project and of a domain.
  expect(await keysOfRoutes()).toEqual(['test', 'test']);
  // A pets-api has to have seen the new key.
  await (await fixture.api.startReplica({ CERTIFICATE_KEKS: both })).stopApi();
  expect(await admin('keys rewrap')).toMatchObject({ active: 'fresh', left: [], objectsLeft: 0, droppable: ['test'] });
  expect(await keysOfColumns()).toEqual(each(names, 'fresh'));
  expect(await keysOfRoutes()).toEqual(['fresh', 'fresh']);
  expect(certificateIds).toHaveLength(3);
  expect(await keysOfObjects()).toEqual(certificateIds.map(() => 'fresh'));
});

it('is written with every certificate again after the loss of the storage', async () => {
  await rm(join(folder, 'certificates'), { recursive: true });
  expect(await keysOfObjects()).toEqual(certificateIds.map(() => null));
  expect(await admin('certificates move --again')).toMatchObject({ moved: 2, stored: 3, left: 0, unused: 0 });
  expect(await keysOfObjects()).toEqual(certificateIds.map(() => 'fresh'));
});
