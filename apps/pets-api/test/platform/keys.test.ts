import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { certificateKeyBinding, type SealedCertificate } from '@pets/contracts';
import { openFileStorage, parseKeyRing, readStoredCertificate, seal, sealingKeyId, unseal } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { checkKeys } from '../../src/platform/encryption-keys/key-check.js';
import {
  EncryptedColumnsRepository,
  type Identity,
  type SealedPage,
} from '../../src/platform/encryption-keys/encrypted-columns.repository.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { EDGE_TOKEN, type ApiReplica } from '../harness.js';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
/** The key that the harness starts with. */
const old = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const fresh = newKey('2027');

let fixture: DomainFixture;
let folder: string;
let storageUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keys-'));
  storageUrl = pathToFileURL(folder).href;
  fixture = await startDomainFixture(undefined, { STORAGE_URL: storageUrl });
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  // Those with other keys would go on sealing with them.
  await Promise.all(replicas.splice(0).map((replica) => replica.stopApi()));
  await sql`delete from key_checks where key_id <> 'test'`.execute(fixture.api.db);
});

const admin = <Result>(command: string, keys: string) =>
  runAdminCommand(command.split(' '), fixture.api.db, {
    ENVIRONMENT: 'development',
    CERTIFICATE_KEKS: parseKeyRing(keys),
    STORAGE_URL: storageUrl,
  }) as Promise<Result>;
const replicas: ApiReplica[] = [];
const startWith = async (keys: string) => {
  const replica = await fixture.api.startReplica({ CERTIFICATE_KEKS: keys });
  replicas.push(replica);
  return replica;
};
const checkIds = async () =>
  (await fixture.api.db.selectFrom('key_checks').select('key_id').orderBy('key_id').execute()).map((row) => row.key_id);

/** A certificate as an attempt leaves it: `secret` sealed with the first of some keys. */
async function addCertificate(keys: string, secret: string, domainId: string): Promise<SealedCertificate> {
  const { organization_id: organizationId, name } = await fixture.api.db
    .selectFrom('domains')
    .select(['organization_id', 'name'])
    .where('id', '=', domainId)
    .executeTakeFirstOrThrow();
  const id = randomUUID();
  const sealedKey = seal(parseKeyRing(keys), secret, certificateKeyBinding(id, organizationId));
  const values = {
    id,
    origin: 'ordered' as const,
    domain_id: domainId,
    organization_id: organizationId,
    name,
    apex_name: name,
    csr_pem: 'x',
  };
  await fixture.api.db
    .insertInto('certificates')
    .values({
      ...values,
      generation: 99,
      attempt: attempts++,
      state: 'issued',
      is_renewal: false,
      directory_url: 'http://ca.test',
      account_thumbprint: '',
      sealed_key: sealedKey,
      chain_pem: '',
    })
    .execute();
  return { id, organizationId, chainPem: '', sealedKey };
}
let attempts = 1;

const fetchSealed = async (id: string) =>
  (await fixture.api.request<SealedCertificate>('GET', `/internal/edge/certificates/${id}`, { key: EDGE_TOKEN })).body;
const open = (keys: string, { id, organizationId, sealedKey }: SealedCertificate) =>
  unseal(parseKeyRing(keys), sealedKey, certificateKeyBinding(id, organizationId));

describe('the rotation of keys', () => {
  it('leaves nothing encrypted with the old key, and every secret readable for the API and the edges', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    const certificate = await addCertificate(old, 'THE KEY', domainId);
    const headers = { 'idempotency-key': `"${randomUUID()}"` };
    const create = { key: fixture.key, headers, body: { name: 'once', scopes: ['pets:read'] } };
    const first = await fixture.api.request('POST', '/v1/api-keys', create);
    expect(first.status).toBe(201);

    await startWith(`${old},${fresh}`); // add it second
    const rotated = await startWith(`${fresh},${old}`); // then first
    const done = await admin<{ left: unknown; rewrapped: Record<string, number>; droppable: string[] }>(
      'keys rewrap',
      `${fresh},${old}`,
    );
    expect(done).toMatchObject({ active: '2027', left: [], objectsLeft: 0, droppable: ['test'] });
    expect(done.rewrapped['certificates']).toBeGreaterThan(0);

    const rewrapped = await fetchSealed(certificate.id);
    expect(sealingKeyId(rewrapped.sealedKey)).toBe('2027');
    expect(open(fresh, rewrapped)).toBe('THE KEY'); // an edge that has the new key alone
    expect(await readStoredCertificate(await openFileStorage(storageUrl), certificate.id)).toEqual(rewrapped);
    const alone = await startWith(fresh);
    expect((await alone.request('GET', '/readyz')).status).toBe(200);
    for (const replica of [rotated, alone]) {
      const again = await replica.request('POST', '/v1/api-keys', create);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.text).toBe(first.text);
    }
    // Back to where the other tests begin.
    await startWith(`${fresh},${old}`);
    expect(await admin('keys rewrap', `${old},${fresh}`)).toMatchObject({ left: [], droppable: ['2027'] });
  });

  it('drops no key while objects in the storage may be encrypted with it', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    const certificate = await addCertificate(old, 'kept', domainId);
    await startWith(`${fresh},${old}`);
    await rm(join(folder, 'certificates'), { recursive: true, force: true });
    await writeFile(join(folder, 'certificates'), 'in the way');
    const failed = await admin<{ objectsLeft: number }>('keys rewrap', `${fresh},${old}`);
    expect(failed).toMatchObject({ left: [], droppable: [] });
    expect(failed.objectsLeft).toBeGreaterThan(0);
    await rm(join(folder, 'certificates'));
    await sql`update certificates set object_lease_until = null`.execute(fixture.api.db);
    expect(await admin('keys rewrap', `${fresh},${old}`)).toMatchObject({ objectsLeft: 0, droppable: ['test'] });
    const object = await readStoredCertificate(await openFileStorage(storageUrl), certificate.id);
    expect(object === undefined ? '' : open(fresh, object)).toBe('kept');
    await startWith(`${fresh},${old}`);
    await admin('keys rewrap', `${old},${fresh}`);
  });

  it('can be repeated, and runs while certificates are encrypted, replaced and removed', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    const certificates = await Promise.all(
      Array.from({ length: 60 }, (_, index) => addCertificate(old, `key ${index}`, domainId)),
    );
    const both = `${fresh},${old}`;
    await startWith(both);
    // Locked rows are not waited for: the lock ends only after two rounds of the rest.
    const [held, lock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = fixture.api.db.transaction().execute(async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await sql`update certificates set state = 'failed' where id = ${certificates[0]?.id}`.execute(tx);
      held.resolve();
      await lock.promise;
    });
    await held.promise;
    const interrupted = await admin<{ left: { certificates: number }[] }>('keys rewrap', both);
    expect(interrupted.left).toMatchObject([{ keyId: 'test', certificates: 1 }]);
    lock.resolve();
    await locking;
    const late = await addCertificate(old, 'late', domainId);
    const [again] = await Promise.all([
      admin<object>('keys rewrap', both),
      admin<object>('keys rewrap', both),
      addCertificate(fresh, 'meanwhile', domainId),
    ]);
    expect(again).toMatchObject({ left: [] });
    expect(open(fresh, await fetchSealed(late.id))).toBe('late');
    for (const [index, { id }] of certificates.slice(1).entries())
      expect(open(fresh, await fetchSealed(id))).toBe(`key ${index + 1}`);
    await startWith(both);
    await admin('keys rewrap', `${old},${fresh}`);
  });

  it('does not replace what was changed since it was read', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    const { id, sealedKey } = await addCertificate(old, 'x', domainId);
    const texts = new EncryptedColumnsRepository(fixture.api.db);
    const row = { identity: [id], text: sealedKey, binding: '' };
    expect(await texts.replace('certificates', [{ row: { ...row, text: 'read before' }, text: 'lost' }])).toBe(0);
    expect((await fetchSealed(id)).sealedKey).toBe(sealedKey);
    expect(await texts.replace('certificates', [{ row, text: sealedKey }])).toBe(1);
  });

  it.each(['certificates', 'idempotentAnswers'] as const)('meets every row of %s once, page by page', async (place) => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    for (const name of ['a', 'b', 'c']) {
      await addCertificate(old, name, domainId);
      const headers = { 'idempotency-key': `"${randomUUID()}"` };
      await fixture.api.request('POST', '/v1/pets', { key: fixture.key, headers, body: { name, categoryId: 1 } });
    }
    const texts = new EncryptedColumnsRepository(fixture.api.db);
    const met: string[] = [];
    let after: Identity | null = null;
    do {
      const { rows, next }: SealedPage = await texts.page(place, 'none', after, 2);
      met.push(...rows.map(({ identity }) => identity.join()));
      after = next;
    } while (after !== null);
    const all = await texts.page(place, 'none', null, 1_000);
    expect(met).toEqual(all.rows.map(({ identity }) => identity.join()));
    expect(met.length).toBeGreaterThanOrEqual(3);
    expect((await texts.page(place, 'test', null, 1_000)).rows).toEqual([]);
  });

  it('leaves keys that were swapped between rows sealed, and counts them', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    const [one, other] = [await addCertificate(old, '1', domainId), await addCertificate(old, '2', domainId)];
    const swap = (id: string, sealed: string) =>
      sql`update certificates set sealed_key = ${sealed} where id = ${id}`.execute(fixture.api.db);
    await swap(one.id, other.sealedKey);
    await swap(other.id, one.sealedKey);
    expect(() => open(old, { ...one, sealedKey: other.sealedKey })).toThrow('does not decrypt this');
    await startWith(`${fresh},${old}`);
    const { left } = await admin<{ left: object[] }>('keys rewrap', `${fresh},${old}`);
    expect(left).toEqual([
      {
        keyId: 'test',
        certificates: 2,
        platformCertificates: 0,
        idempotentAnswers: 0,
        webhookSecrets: 0,
        channelLinkKeys: 0,
        originHeaders: 0,
      },
    ]);
    await sql`delete from certificates where id in (${one.id}, ${other.id})`.execute(fixture.api.db);
    expect(await admin('keys rewrap', `${old},${fresh}`)).toMatchObject({ left: [] });
  });

  it('refuses a key that no replica has seen, and one that is not the database’s', async () => {
    await expect(admin('keys rewrap', `${newKey('2030')},${old}`)).rejects.toThrow(
      'no pets-api was started with key-encryption key "2030"',
    );
    await expect(admin('keys rewrap', newKey('test'))).rejects.toThrow(
      '"test" does not match the key that encrypted the data',
    );
    await expect(runAdminCommand(['keys', 'rewrap'], fixture.api.db, { ENVIRONMENT: 'development' })).rejects.toThrow(
      'CERTIFICATE_KEKS: is required',
    );
  });

  it('shows which keys there are and what is sealed with them', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    await addCertificate(old, 'x', domainId);
    const { keys } = await admin<{ keys: { certificates: number }[] }>('keys list', `${fresh},${old}`);
    expect(keys).toEqual([
      {
        ...{ keyId: '2027', isActive: true, isConfigured: true },
        ...{
          certificates: 0,
          platformCertificates: 0,
          idempotentAnswers: 0,
          webhookSecrets: 0,
          channelLinkKeys: 0,
          originHeaders: 0,
        },
      },
      expect.objectContaining({ keyId: 'test', isActive: false, isConfigured: true }),
    ]);
    expect(keys[1]?.certificates).toBeGreaterThan(0);
  });
});

describe('a replica with wrong keys', () => {
  it('is not ready and says which key is missing, until nothing is sealed with it', async () => {
    const { id: domainId } = await fixture.add(fixture.freshName());
    await startWith(`${fresh},${old}`);
    const { id } = await addCertificate(fresh, 'x', domainId);
    const replica = await startWith(old);
    const refused = await replica.request('GET', '/readyz');
    expect(refused.status).toBe(503);
    expect(refused.body.message).toBe(
      'Not ready: key-encryption key "2027" is in use and not configured: add it to CERTIFICATE_KEKS.',
    );
    await sql`delete from certificates where id = ${id}`.execute(fixture.api.db);
    await waitUntil(async () => (await replica.request('GET', '/readyz')).status === 200, {
      message: 'the replica to be ready',
    });
  });

  it('is not ready with another key under a known id, stores no check, and dispatches nothing', async () => {
    const replica = await startWith(`${newKey('test')},${newKey('2031')}`);
    const refused = await replica.request('GET', '/readyz');
    expect(refused.status).toBe(503);
    expect(refused.body.message).toContain('"test" does not match');
    expect(await checkIds()).toEqual(['test']);
    // The right replica goes on with the work of both.
    const { issue } = await fixture.verified();
    const { sealed_key: sealed } = await fixture.api.db
      .selectFrom('certificates')
      .select('sealed_key')
      .where('domain_id', '=', issue.domainId)
      .executeTakeFirstOrThrow();
    expect(sealingKeyId(sealed)).toBe('test');
  });

  it('is not ready together with another that starts with a different key of the same id', async () => {
    const keys = [newKey('2032'), newKey('2032')].map((key) => parseKeyRing(`${key},${old}`));
    const faults = await Promise.all(keys.map((ring) => checkKeys(fixture.api.db, ring)));
    expect(faults.filter((list) => list.length === 0)).toHaveLength(1);
    expect(faults.flat()).toEqual([{ keyId: '2032', kind: 'other_key' }]);
  });
});
