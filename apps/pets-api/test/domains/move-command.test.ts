import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileStorage, readStoredCertificate, type FileStorage } from '@pets/platform';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';

const CERTIFICATES = 450;

let fixture: DomainFixture;
let folder: string;
let storage: FileStorage;

const admin = (line: string) =>
  runAdminCommand(line.split(' '), fixture.api.db, {
    ENVIRONMENT: 'development',
    STORAGE_URL: pathToFileURL(folder).href,
  });
const idsOf = async () =>
  (await sql<{ id: string }>`select id from certificates order by id`.execute(fixture.api.db)).rows.map(({ id }) => id);
const countStored = async () => {
  const found = await Promise.all((await idsOf()).map((id) => readStoredCertificate(storage, id)));
  return found.filter((certificate) => certificate !== undefined).length;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'move-'));
  storage = await openFileStorage(pathToFileURL(folder).href);
  fixture = await startDomainFixture(undefined, { STORAGE_URL: pathToFileURL(folder).href });
  const { id } = await fixture.add(fixture.freshName());
  await sql`
    insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
      account_thumbprint, csr_pem, sealed_key, chain_pem, ordered, issued_at)
    select 'ordered', d.id, d.organization_id, d.name, d.apex_name, 1000, n, 'issued', 'http://ca.test', '', 'request',
      'sealed ' || n, 'chain ' || n, true, now()
    from domains d, generate_series(1, ${CERTIFICATES}::integer) n where d.id = ${id}`.execute(fixture.api.db);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await rm(join(folder, 'certificates'), { recursive: true, force: true });
  await sql`update certificates set object_written_at = null, object_lease_until = null`.execute(fixture.api.db);
});

describe('certificates move', () => {
  it('moves every certificate that is not in the storage, and says how far it is', async () => {
    expect(await admin('certificates move --status')).toEqual({ stored: 0, left: CERTIFICATES, unused: 0 });
    expect(await admin('certificates move --limit 201')).toMatchObject({ moved: 201, stored: 201 });
    expect(await countStored()).toBe(201);
    expect(await admin('certificates move')).toEqual({ moved: 249, stored: CERTIFICATES, left: 0, unused: 0 });
    expect(await countStored()).toBe(CERTIFICATES);
    expect(await admin('certificates move')).toMatchObject({ moved: 0 });
  });

  it('moves each certificate once when it runs several times at once', async () => {
    const results = await Promise.all([1, 2, 3].map(() => admin('certificates move')));
    expect(results.map((result) => ('moved' in result ? Number(result.moved) : 0)).reduce((a, b) => a + b)).toBe(
      CERTIFICATES,
    );
    expect(await countStored()).toBe(CERTIFICATES);
  });

  it('writes all of them again after the loss of the storage', async () => {
    await admin('certificates move');
    await rm(join(folder, 'certificates'), { recursive: true });
    expect(await admin('certificates move')).toMatchObject({ moved: 0 });
    // A certificate without a key is not written: an object that may be there is deleted.
    await sql`update certificates set csr_pem = '', has_object = false where attempt = 1`.execute(fixture.api.db);
    expect(await admin('certificates move --again')).toMatchObject({ moved: CERTIFICATES - 1, left: 0, unused: 1 });
    expect(await countStored()).toBe(CERTIFICATES - 1);
  });

  it('needs the storage, and a limit that is a number', async () => {
    await expect(
      runAdminCommand(['certificates', 'move'], fixture.api.db, { ENVIRONMENT: 'development' }),
    ).rejects.toThrow('STORAGE_URL: is required');
    await expect(admin('certificates move --limit all')).rejects.toThrow('--limit must be a whole number');
  });
});
