import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, SealedCertificate } from '@pets/contracts';
import { certificateKeyBinding } from '@pets/contracts';
import { certificateObjectKey, openFileStorage, parseKeyRing, readStoredCertificate, unseal } from '@pets/platform';
import { createTestCa, waitUntil, type TestCa } from '@pets/testing';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { CertificatesSweeper } from '../../src/certificates/certificates.sweeper.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { EDGE_TOKEN } from '../harness.js';
import { runRetention } from '../operations/retention-fixture.js';
import { ownCertificateSteps } from './own-certificate-steps.js';
import { attemptOf, matchingFindings } from '../scripted-worker.js';

const DAY_MS = 86_400_000;

let fixture: DomainFixture;
let steps: ReturnType<typeof ownCertificateSteps>;
let ca: TestCa;
/** How far the clock of uploaded certificates is ahead. */
let aheadMs = 0;
/** Folder of the storage. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-certificates-'));
  const settings = { STORAGE_URL: pathToFileURL(folder).href };
  fixture = await startDomainFixture(undefined, settings, () => new Date(Date.now() + aheadMs));
  steps = ownCertificateSteps(fixture);
  ca = await (await createTestCa()).issueCa('Test Issuing CA');
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

const issued = () => steps.issued();

describe('an uploaded certificate', () => {
  it('is served at once instead of the automatic one, and probed for', async () => {
    const { id, name } = await issued();
    await fixture.worker.nextJob('probe-edge', id);
    const automaticId = await steps.routedId(name);
    const leaf = await ca.issue({ names: [name] });
    const { status, body, text } = await steps.upload(id, leaf);
    expect([status, body.source, body.own?.state, body.automatic?.state]).toEqual([200, 'own', 'active', 'issued']);
    expect(body.own).toMatchObject({
      isServed: true,
      prefer: 'own',
      trust: 'private',
      names: [name],
      issuer: 'Test Issuing CA',
      notAfter: new X509Certificate(leaf.certPem).validToDate.toISOString(),
      fingerprint: leaf.sha256,
      revocation: { result: null, checkedAt: null, detail: null },
    });
    expect(text).not.toContain('PRIVATE KEY');
    expect(await steps.routedId(name)).toBe(body.own?.id);
    expect(body.own?.id).not.toBe(automaticId);
    const probes = () => fixture.worker.nextJob('probe-edge', id);
    let probe = await probes();
    while (probe.leafSha256 !== leaf.sha256) probe = await probes();
    expect((await fixture.get(id)).ownCertificate).toEqual(body.own);
  });

  it('is found by edges, sealed like others', async () => {
    const { id, name } = await issued();
    const leaf = await ca.issue({ names: [name] });
    const { own } = (await steps.upload(id, leaf)).body;
    const response = await fetch(`${fixture.api.url}/internal/edge/certificates/${own?.id}`, {
      headers: { authorization: `Bearer ${EDGE_TOKEN}` },
    });
    const sealed = (await response.json()) as SealedCertificate; // the route's schema
    expect(sealed).toMatchObject({ id: own?.id, chainPem: leaf.chainPem });
    const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);
    const binding = certificateKeyBinding(sealed.id, sealed.organizationId);
    expect(unseal(ring, sealed.sealedKey, binding)).toBe(leaf.keyPem);
  });

  it('makes a verified domain live without any automatic one, and no alert about that', async () => {
    const { id, name } = await fixture.verified();
    await steps.upload(id, await ca.issue({ names: [name] }));
    const { leafSha256, ...job } = await fixture.worker.nextJob('probe-edge', id);
    await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(job), leafSha256 });
    await fixture.untilState(id, 'live');
    expect((await steps.get(id)).automatic).toBeNull();
  });

  it('can be uploaded before the DNS points here, and is served from then on', async () => {
    const name = fixture.freshName();
    const { id } = await fixture.add(name);
    expect((await steps.upload(id, await ca.issue({ names: [name] }))).body).toMatchObject({ source: 'own' });
    expect(await steps.routedId(name)).toBeNull();
    await fixture.check(id, matchingFindings);
    await fixture.untilState(id, 'verified');
    expect(await steps.routedId(name)).toBe((await steps.get(id)).own?.id);
    await fixture.worker.nextJob('probe-edge', id);
  });

  it('stays while automatic ones are renewed, and gives way to what the owner prefers', async () => {
    const { id, name } = await fixture.verified().then(async (domain) => {
      await steps.upload(domain.id, await ca.issue({ names: [domain.name] }));
      await fixture.sign(domain.issue, domain.name);
      await waitUntil(async () => (await fixture.get(domain.id)).certificate?.state === 'issued', {
        timeoutMs: 15_000,
      });
      return domain;
    });
    const { own } = await steps.get(id);
    expect(await steps.routedId(name)).toBe(own?.id);
    expect((await steps.prefer(id, 'automatic')).body).toMatchObject({ source: 'automatic', own: { isServed: false } });
    expect(await steps.routedId(name)).not.toBe(own?.id);
    expect((await steps.prefer(id, 'own')).body).toMatchObject({ source: 'own', own: { isServed: true } });
    expect(await steps.routedId(name)).toBe(own?.id);
  });

  it('is replaced by a newer one; the same one again changes nothing', async () => {
    const { id, name } = await issued();
    const [first, second] = [await ca.issue({ names: [name] }), await ca.issue({ names: [name] })];
    const { own } = (await steps.upload(id, first)).body;
    expect((await steps.upload(id, first)).body.own?.id).toBe(own?.id);
    const replaced = (await steps.upload(id, second)).body.own;
    expect(replaced).toMatchObject({ state: 'active', isServed: true, fingerprint: second.sha256 });
    expect(await steps.routedId(name)).toBe(replaced?.id);
  });

  it('is not accepted more than 20 times an hour', async () => {
    const { id, name } = await issued();
    await sql`
      insert into certificates (origin, domain_id, organization_id, state, is_preferred, trust, chain_pem, sealed_key,
        leaf_sha256, serial_number, issuer, names, not_before, not_after, created_at, ended_at, crl_urls, is_renewal,
        check_attempt, check_failures)
      select 'uploaded', ${id}, organization_id, 'replaced', true, 'public', '', '', '', '', '', '{}', now(), now(),
        now() - interval '10 minutes', now(), '{}', null, 0, 0
      from domains, generate_series(1, 20) where id = ${id}`.execute(fixture.api.db);
    const refused = await steps.upload<ApiError>(id, await ca.issue({ names: [name] }));
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(2_900);
  });
});

describe('the deletion of an uploaded certificate', () => {
  it('returns to the automatic one', async () => {
    const { id, name } = await issued();
    const before = await steps.routedId(name);
    await steps.upload(id, await ca.issue({ names: [name] }));
    expect((await steps.remove(id)).status).toBe(204);
    expect(await steps.get(id)).toMatchObject({ source: 'automatic', own: null });
    expect(await steps.routedId(name)).toBe(before);
    expect((await fixture.get(id)).ownCertificate).toBeUndefined();
    expect((await steps.remove(id)).status).toBe(404);
  });

  it('is refused while visitors would get an error, unless forced', async () => {
    const { id, name } = await fixture.verified();
    await steps.upload(id, await ca.issue({ names: [name] }));
    const refused = await steps.remove(id);
    expect([refused.status, refused.body.code]).toEqual([409, 'automatic_certificate_missing']);
    expect((await steps.remove(id, '?force=true')).status).toBe(204);
    expect(await steps.get(id)).toMatchObject({ source: null, own: null });
  });

  it('is written to the storage again after `certificates move --again`, if its object was lost', async () => {
    const { id, name } = await issued();
    await steps.upload(id, await ca.issue({ names: [name] }));
    const STORAGE_URL = pathToFileURL(folder).href;
    const storage = await openFileStorage(STORAGE_URL);
    const { rows } = await sql<{
      id: string;
    }>`select id from certificates where domain_id = ${id} and origin = 'uploaded'`.execute(fixture.api.db);
    const certificateId = rows[0]?.id ?? '';
    const stored = await readStoredCertificate(storage, certificateId);
    await storage.delete(certificateObjectKey(certificateId), AbortSignal.timeout(5_000));
    await runAdminCommand(['certificates', 'move', '--again'], fixture.api.db, {
      ENVIRONMENT: 'development',
      STORAGE_URL,
    });
    expect(stored).toBeDefined();
    expect(await readStoredCertificate(storage, certificateId)).toEqual(stored);
  });

  it('deletes key and object after a day, and later the row; so does the removal of the domain', async () => {
    const sweeper = fixture.api.service(CertificatesSweeper);
    const storage = await openFileStorage(pathToFileURL(folder).href);
    const rowsOf = async (id: string) => {
      const { rows } = await sql<{ id: string; state: string; hasKey: boolean }>`
        select id, state, has_key as "hasKey" from certificates where domain_id = ${id} and origin = 'uploaded'`.execute(
        fixture.api.db,
      );
      const find = async (certificateId: string) => (await readStoredCertificate(storage, certificateId)) !== undefined;
      return Promise.all(rows.map(async (row) => ({ ...row, hasObject: await find(row.id) })));
    };
    const [removed, gone] = [await issued(), await issued()];
    for (const { id, name } of [removed, gone]) await steps.upload(id, await ca.issue({ names: [name] }));
    await steps.remove(removed.id);
    await fixture.api.request('DELETE', `${fixture.path()}/${gone.id}`, { key: fixture.key });
    const expectRows = async (...expected: readonly object[]) => {
      await sweeper.sweep();
      for (const { id } of [removed, gone]) expect(await rowsOf(id)).toMatchObject(expected);
    };
    await expectRows({ state: 'removed', hasKey: true, hasObject: true });
    aheadMs = 1.1 * DAY_MS;
    await expectRows({ state: 'removed', hasKey: false, hasObject: false });
    await runRetention(fixture.api.db, { days: 29 });
    await expectRows({ state: 'removed' });
    await runRetention(fixture.api.db, { days: 31 });
    await expectRows();
    aheadMs = 0;
  });
});

describe('an upload is refused', () => {
  it('for a domain of another organization, and for one without the permission', async () => {
    const { id, name } = await issued();
    const leaf = await ca.issue({ names: [name] });
    const other = await fixture.tenant();
    expect((await steps.upload<ApiError>(id, leaf, {}, { key: other.key })).body.code).toBe('not_found');
    const foreign = await steps.upload<ApiError>(id, leaf, {}, { key: other.key, projectId: other.projectId });
    expect(foreign.body.code).toBe('not_found');
    expect((await steps.get(id)).own).toBeNull();
  });

  it('with the field at fault, a message, and nothing of the key', async () => {
    const { id, name } = await issued();
    const leaf = await ca.issue({ names: [name] });
    const other = await ca.issue({ names: [name] });
    const mismatch = await steps.upload<ApiError>(id, { ...leaf, keyPem: other.keyPem });
    expect(mismatch).toMatchObject({
      status: 400,
      body: { code: 'certificate_key_mismatch', status: 400, errors: [{ field: 'privateKey' }] },
    });
    expect((await steps.upload<ApiError>(id, leaf, { trust: 'public' })).body.code).toBe('certificate_untrusted');
    const wrong = await steps.upload<ApiError>(id, await ca.issue({ names: ['www.example.org'] }));
    expect(wrong.body).toMatchObject({ code: 'certificate_name_mismatch', errors: [{ field: 'certificate' }] });
    for (const { text } of [mismatch, wrong]) expect(text).not.toMatch(/PRIVATE KEY|MIGH/);
  });

  it('when it is too large, also with 10 000 names', async () => {
    const { id } = await issued();
    const names = Array.from({ length: 10_000 }, (_, i) => `n${i}.example.com`);
    const large = await ca.issue({ names });
    const refused = await steps.upload<ApiError>(id, large);
    expect(refused.body).toMatchObject({ code: 'invalid_parameter', errors: [{ field: 'certificate' }] });
    const huge = { chainPem: 'x'.repeat(262_144), keyPem: 'x' };
    expect((await steps.upload<ApiError>(id, huge)).body.code).toBe('payload_too_large');
  });
});
