import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificateKeyBinding, type SealedCertificate } from '@pets/contracts';
import {
  createLogger,
  openFileStorage,
  parseKeyRing,
  readStoredCertificate,
  unseal,
  type FileStorage,
} from '@pets/platform';
import { createTestCa, startTestBucket, waitUntil, type TestBucket } from '@pets/testing';
import { sql } from 'kysely';
import { CertificateObjectsRepository } from '../../src/certificates/certificate-objects.repository.js';
import { CertificateObjects } from '../../src/certificates/certificate-objects.service.js';
import { UnusedKeysRepository, UnusedKeysSweeper } from '../../src/certificates/certificates.sweeper.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { EDGE_TOKEN } from '../harness.js';
import { backgroundTasks } from '../platform/background-tasks.js';
import { certificateSteps } from './certificate-steps.js';
import { ownCertificateSteps } from './own-certificate-steps.js';

/** A real storage whose requests a test fails or delays. */
interface SwitchedStorage extends FileStorage {
  /** The keys that were written. */
  readonly writes: string[];
  /** Whether writes and deletions of a key fail. */
  fail: (key: string) => boolean;
  /** The next write sends everything only after the release, whatever its signal says: as if the network were slow. */
  holdNextWrite(): { readonly begun: Promise<void>; readonly release: () => void };
}

function switchedStorage(storage: FileStorage): SwitchedStorage {
  let held: { begin: () => void; released: Promise<void> } | undefined;
  const requireStorage = (key: string) => {
    if (switched.fail(key)) throw new Error('the storage is away');
  };
  const switched: SwitchedStorage = {
    ...storage,
    writes: [],
    fail: () => false,
    holdNextWrite: () => {
      const begun = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held = { begin: begun.resolve, released: released.promise };
      return { begun: begun.promise, release: released.resolve };
    },
    write: async (key, content, signal) => {
      requireStorage(key);
      const hold = held;
      held = undefined;
      hold?.begin();
      await hold?.released;
      await storage.write(key, content, hold === undefined ? signal : undefined);
      switched.writes.push(key);
    },
    delete: async (key, signal) => {
      requireStorage(key);
      await storage.delete(key, signal);
    },
  };
  return switched;
}

const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);
const log = createLogger('test', 'silent');
const GATEWAY_TOKEN = 'gateway-token-of-the-tests-and-of-nothing-else';

let bucket: TestBucket;
let folder: string;

beforeAll(async () => {
  bucket = await startTestBucket();
  Object.assign(process.env, bucket.credentials);
  folder = await mkdtemp(join(tmpdir(), 'certificate-objects-'));
});
afterAll(async () => {
  for (const name of Object.keys(bucket.credentials)) delete process.env[name];
  await bucket.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each(['a folder', 'a bucket'])('in %s', (kind) => {
  let fixture: DomainFixture;
  let storage: SwitchedStorage;
  let objects: CertificateObjects;

  beforeAll(async () => {
    const url = kind === 'a bucket' ? bucket.url : pathToFileURL(folder).href;
    fixture = await startDomainFixture(log, { STORAGE_URL: url, GATEWAY_TOKEN });
    storage = switchedStorage(await openFileStorage(url));
    objects = new CertificateObjects(storage, new CertificateObjectsRepository(fixture.api.db), log);
  });
  afterAll(() => fixture.close());

  const rowsOf = async (domainId: string) =>
    (
      await sql<SealedCertificate & { isCurrent: boolean; hasObject: boolean }>`
        select id, organization_id as "organizationId", chain_pem as "chainPem", sealed_key as "sealedKey",
          object_written_at is not null and object_lease_until is null as "isCurrent", has_object as "hasObject"
        from certificates where domain_id = ${domainId} order by attempt`.execute(fixture.api.db)
    ).rows;
  const rowOf = async (domainId: string) => {
    const [row] = await rowsOf(domainId);
    if (row === undefined) throw new Error(`domain ${domainId} has no certificate`);
    return row;
  };
  const stored = (id: string) => readStoredCertificate(storage, id);
  const issued = async () => {
    const domain = await fixture.verified();
    await certificateSteps(fixture).issue(domain.issue);
    return { ...domain, row: await rowOf(domain.id) };
  };
  /** Makes a certificate look as if it were from before this release, or as if its write had failed. */
  const forget = async (id: string) => {
    await sql`update certificates set object_written_at = null, has_object = false where id = ${id}`.execute(
      fixture.api.db,
    );
    await storage.delete(`certificates/${id}`, AbortSignal.timeout(5_000));
  };
  const voidUnused = () =>
    new UnusedKeysSweeper(
      new UnusedKeysRepository(fixture.api.db),
      backgroundTasks(log),
      () => new Date(Date.now() + 25 * 3_600_000),
    ).sweep();
  const fetchSealed = (id: string) =>
    fixture.api.request<SealedCertificate>('GET', `/internal/edge/certificates/${id}`, { key: EDGE_TOKEN });

  it('a certificate is stored with its sealed key before it is current', async () => {
    const { row } = await issued();
    const object = await stored(row.id);
    expect(object).toEqual({
      id: row.id,
      organizationId: row.organizationId,
      chainPem: row.chainPem,
      sealedKey: row.sealedKey,
    });
    expect(row).toMatchObject({ isCurrent: true, hasObject: true });
    const binding = certificateKeyBinding(row.id, row.organizationId);
    expect(unseal(ring, object?.sealedKey ?? '', binding)).toContain('PRIVATE KEY');
  });

  it('the object is there while the transaction that makes the certificate current has not begun', async () => {
    const { id, name, issue } = await fixture.verified();
    const [held, lock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = fixture.api.db.transaction().execute(async (tx) => {
      await sql`select from projects where id = ${fixture.projectId} for update`.execute(tx);
      held.resolve();
      await lock.promise;
    });
    await held.promise;
    await fixture.sign(issue, name);
    const { id: certificateId } = await rowOf(id);
    const isThere = async () => (await stored(certificateId)) !== undefined;
    await waitUntil(isThere, { timeoutMs: 15_000, message: 'the object' });
    expect(await rowOf(id)).toMatchObject({ chainPem: null, isCurrent: false });
    lock.resolve();
    await locking;
    await certificateSteps(fixture).untilEnded(issue);
    expect(await rowOf(id)).toMatchObject({ isCurrent: true });
  });

  it('certificates from before are written, by several processes at once, each once', async () => {
    const domains = [await issued(), await issued(), await issued()];
    for (const { row } of domains) await forget(row.id);
    storage.writes.length = 0;
    await Promise.all([objects.writeLeft(2), objects.writeLeft(2), objects.writeLeft(2)]);
    expect(storage.writes.toSorted()).toEqual(domains.map(({ row }) => `certificates/${row.id}`).toSorted());
    for (const { id, row } of domains) {
      expect(await stored(row.id)).toMatchObject({ sealedKey: row.sealedKey });
      expect(await rowOf(id)).toMatchObject({ isCurrent: true });
    }
    expect(await objects.writeLeft(100)).toBe(0);
  });

  it('a certificate whose writer died is written after the lease', async () => {
    const { id, row } = await issued();
    await forget(row.id);
    await new CertificateObjectsRepository(fixture.api.db).leaseLeft(1);
    expect(await objects.writeLeft(100)).toBe(0);
    await expireLeases(fixture.api.db);
    expect(await objects.writeLeft(100)).toBe(1);
    expect(await rowOf(id)).toMatchObject({ isCurrent: true });
  });

  it('an older key never stays over a newer one, however late its write arrives', async () => {
    const { id, row } = await issued();
    await forget(row.id);
    const late = storage.holdNextWrite();
    const writing = objects.writeLeft(100);
    await late.begun;
    // The lease ends, the key is rewrapped, and another process writes it.
    await expireLeases(fixture.api.db);
    await sql`update certificates set sealed_key = sealed_key || 'x' where id = ${row.id}`.execute(fixture.api.db);
    expect(await objects.writeLeft(100)).toBe(1);
    expect(await stored(row.id)).toMatchObject({ sealedKey: `${row.sealedKey}x` });
    late.release();
    await writing;
    expect(await stored(row.id)).toMatchObject({ sealedKey: row.sealedKey }); // the damage
    expect(await rowOf(id)).toMatchObject({ isCurrent: false });
    expect(await objects.writeLeft(100)).toBe(1);
    expect(await stored(row.id)).toMatchObject({ sealedKey: `${row.sealedKey}x` });
    await sql`update certificates set sealed_key = ${row.sealedKey} where id = ${row.id}`.execute(fixture.api.db);
    await objects.writeLeft(100);
  });

  it('a rewrap makes the object outdated', async () => {
    const { id, row } = await issued();
    await sql`update certificates set sealed_key = sealed_key || 'x' where id = ${row.id}`.execute(fixture.api.db);
    expect(await rowOf(id)).toMatchObject({ isCurrent: false });
    await sql`update certificates set sealed_key = ${row.sealedKey} where id = ${row.id}`.execute(fixture.api.db);
    await objects.writeLeft(100);
    expect(await rowOf(id)).toMatchObject({ isCurrent: true });
  });

  it('what cannot be written now is written later, and does not stop the rest for good', async () => {
    const domains = [await issued(), await issued()];
    for (const { row } of domains) await forget(row.id);
    const [older, newest] = domains;
    storage.fail = (key) => key.endsWith(newest?.row.id ?? '');
    await expect(objects.writeLeft(1)).rejects.toThrow('storage is away');
    expect(await objects.writeLeft(1)).toBe(1); // the failed one keeps its lease
    expect(await rowOf(older?.id ?? '')).toMatchObject({ isCurrent: true });
    storage.fail = () => false;
    await expireLeases(fixture.api.db);
    expect(await objects.writeLeft(100)).toBe(1);
    expect(await rowOf(newest?.id ?? '')).toMatchObject({ isCurrent: true });
  });

  it('the object of an unused key is deleted after the key, and an orphan of an attempt likewise', async () => {
    const { id, row } = await issued();
    const orphan = await fixture.verified();
    const attempt = { domainId: orphan.id, generation: orphan.issue.generation, attempt: orphan.issue.attempt };
    expect(await objects.writeNew(attempt, 'chain')).toMatchObject({ chainPem: 'chain' });
    await fixture.api.request('DELETE', `${fixture.path()}/${id}`, { key: fixture.key });
    const orphanRow = await rowOf(orphan.id);
    expect(await stored(orphanRow.id)).toBeDefined();
    await voidUnused();
    storage.fail = () => true;
    await expireLeases(fixture.api.db);
    await expect(objects.deleteUnused(100)).rejects.toThrow('storage is away');
    storage.fail = () => false;
    await expireLeases(fixture.api.db);
    while ((await objects.deleteUnused(2)) > 0);
    for (const { id: objectId } of [row, orphanRow]) expect(await stored(objectId)).toBeUndefined();
    expect(await rowOf(id)).toMatchObject({ hasObject: false, isCurrent: false });
    expect(await objects.writeLeft(100)).toBe(0); // nothing brings it back
  });

  it('a write that arrives after the deletion is deleted again', async () => {
    const { id, row } = await issued();
    await forget(row.id);
    const late = storage.holdNextWrite();
    const writing = objects.writeLeft(100);
    await late.begun;
    await fixture.api.request('DELETE', `${fixture.path()}/${id}`, { key: fixture.key });
    await voidUnused();
    await expireLeases(fixture.api.db);
    while ((await objects.deleteUnused(100)) > 0);
    late.release();
    await writing;
    expect(await rowOf(id)).toMatchObject({ hasObject: true });
    while ((await objects.deleteUnused(100)) > 0);
    expect(await stored(row.id)).toBeUndefined();
  });

  it('edges and gateways get a certificate from its row, and from its object where the row is empty', async () => {
    const { name, row } = await issued();
    const { id, organizationId, chainPem, sealedKey } = row;
    const askOfGateway = async () => {
      const path = `/internal/gateway/certificate?server_name=${name}`;
      return (await fixture.api.request('GET', path, { key: GATEWAY_TOKEN })).text;
    };
    await forget(id);
    expect((await fetchSealed(id)).body).toEqual({ id, organizationId, chainPem, sealedKey });
    const pair = await askOfGateway();
    expect(pair).toMatch(/^-----BEGIN CERTIFICATE-----[^]+-----BEGIN PRIVATE KEY-----/);
    await objects.writeLeft(100);
    // As the next release leaves it.
    await sql`update certificates set chain_pem = null, sealed_key = '' where id = ${id}`.execute(fixture.api.db);
    expect((await fetchSealed(id)).body).toEqual({ id, organizationId, chainPem, sealedKey });
    expect(await askOfGateway()).toBe(pair);
    await storage.delete(`certificates/${id}`, AbortSignal.timeout(5_000));
    expect((await fetchSealed(id)).status).toBe(404);
    await sql`update certificates set chain_pem = ${chainPem}, sealed_key = ${sealedKey} where id = ${id}`.execute(
      fixture.api.db,
    );
    await objects.writeLeft(100);
  });
});

describe('while the storage is away', () => {
  it('a certificate becomes current at once, edges get it from its row, and its object follows', async () => {
    const root = join(folder, 'away');
    const url = pathToFileURL(root).href;
    const fixture = await startDomainFixture(log, { STORAGE_URL: url });
    const { db } = fixture.api;
    const objects = new CertificateObjects(await openFileStorage(url), new CertificateObjectsRepository(db), log);
    await writeFile(join(root, 'certificates'), 'in the way');
    const { id, name, issue } = await fixture.verified();
    await fixture.sign(issue, name);
    const { certificateId } = await routeWithCertificate(fixture, name);
    await fixture.worker.nextJob('probe-edge', id);
    const path = `/internal/edge/certificates/${certificateId}`;
    const { body } = await fixture.api.request<SealedCertificate>('GET', path, { key: EDGE_TOKEN });
    expect(body.chainPem).toContain('CERTIFICATE');
    expect(await objects.count()).toEqual({ stored: 0, left: 1, unused: 0 });
    await expect(objects.writeLeft(100)).rejects.toThrow();
    await rm(join(root, 'certificates'));
    await expireLeases(db);
    expect(await objects.writeLeft(100)).toBe(1);
    expect(await objects.count()).toEqual({ stored: 1, left: 0, unused: 0 });
    expect((await readStoredCertificate(await openFileStorage(url), certificateId))?.chainPem).toContain('CERTIFICATE');
    await fixture.close();
  });

  it('an upload is activated at once, and its object follows under the same lease', async () => {
    const root = join(folder, 'away-from-uploads');
    const url = pathToFileURL(root).href;
    const fixture = await startDomainFixture(log, { STORAGE_URL: url });
    const { db } = fixture.api;
    const repository = new CertificateObjectsRepository(db);
    const objects = new CertificateObjects(await openFileStorage(url), repository, log);
    await writeFile(join(root, 'certificates'), 'in the way');
    const { id, name } = await fixture.verified();
    const ca = await (await createTestCa()).issueCa('Test Issuing CA');
    const { own } = (await ownCertificateSteps(fixture).upload(id, await ca.issue({ names: [name] }))).body;
    expect(own).toMatchObject({ state: 'active', isServed: true });
    expect(await objects.count()).toEqual({ stored: 0, left: 1, unused: 0 });
    await rm(join(root, 'certificates'));
    expect(await repository.leaseLeft(1)).toMatchObject([{ id: own?.id }]);
    expect(await objects.writeLeft(100)).toBe(0);
    await expireLeases(db);
    expect(await objects.writeLeft(100)).toBe(1);
    expect(await readStoredCertificate(await openFileStorage(url), own?.id ?? '')).toMatchObject({ id: own?.id });
    await fixture.close();
  });
});

async function routeWithCertificate({ api }: DomainFixture, host: string): Promise<{ certificateId: string }> {
  const find = async () =>
    (
      await sql<{ certificateId: string | null }>`
        select route->>'certificateId' as "certificateId" from edge_routes where host = ${host}`.execute(api.db)
    ).rows[0]?.certificateId ?? null;
  await waitUntil(async () => (await find()) !== null, { timeoutMs: 15_000, message: 'the route' });
  return { certificateId: (await find()) ?? '' };
}

async function expireLeases(db: DomainFixture['api']['db']): Promise<void> {
  await sql`update certificates set object_lease_until = now() - interval '1 second'
    where object_lease_until is not null`.execute(db);
}
