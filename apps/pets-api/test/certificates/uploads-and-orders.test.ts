/** Ordered and uploaded certificates are rows of one table: what counts, renews, revokes and deletes orders never sees an upload. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { knownCaLimits } from '@pets/domains';
import { createLogger } from '@pets/platform';
import { createTestCa, waitUntil, type TestCa } from '@pets/testing';
import { sql } from 'kysely';
import { CaUsageRepository } from '../../src/certificates/ca-usage.repository.js';
import { CertificateAttemptsRepository } from '../../src/certificates/certificate-attempts.repository.js';
import { ChallengeMethodsRepository } from '../../src/certificates/challenge-methods.service.js';
import { OpenOrdersRepository } from '../../src/certificates/open-orders.repository.js';
import { RevocationsService } from '../../src/certificates/revocations/revocations.service.js';
import { UnusedKeysRepository, UnusedKeysSweeper } from '../../src/certificates/certificates.sweeper.js';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { addVerified } from '../domains/domain-steps.js';
import { backgroundTasks } from '../platform/background-tasks.js';
import { provenFindings } from '../scripted-worker.js';
import { letsEncrypt, problems } from './certificate-steps.js';
import { ownCertificateSteps } from './own-certificate-steps.js';
import { renewalSteps } from './renewal-steps.js';

const crlUrls = ['http://crl.example/ca.crl'];

let fixture: DomainFixture;
let uploads: ReturnType<typeof ownCertificateSteps>;
let orders: ReturnType<typeof renewalSteps>;
let ca: TestCa;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: letsEncrypt });
  uploads = ownCertificateSteps(fixture);
  orders = renewalSteps(fixture);
  ca = await (await createTestCa()).issueCa('Test Issuing CA');
});
afterAll(() => fixture.close());

const upload = async (id: string, name: string, more: object = {}) =>
  uploads.upload(id, await ca.issue({ names: [name], ...more }));

/** Reads everything that the limits of the CA and the choice of a CA count, of all domains and of one. */
async function readLedger({ id, name }: { readonly id: string; readonly name: string }, now: Date) {
  const { db } = fixture.api;
  const usage = fixture.api.service(CaUsageRepository);
  const attempts = fixture.api.service(CertificateAttemptsRepository);
  const limits = knownCaLimits(letsEncrypt);
  const subject = { domainId: id, name, apexName: 'example.com' };
  return {
    attempts: (await sql`select * from ca_attempts order by created_at, domain_id`.execute(db)).rows,
    usage: await usage.findUsage(db, letsEncrypt, limits, [subject], now),
    highest: [...(await usage.findHighestUse(db, letsEncrypt, limits, now))],
    renewals: [...(await attempts.findRenewals(db, [letsEncrypt], [name]))],
    records: await attempts.listRecords(db, [id]),
    orders: [...(await attempts.findOrders([id], now))],
    methods: [...(await fixture.api.service(ChallengeMethodsRepository).findUsed([id]))],
    pending: [...(await fixture.api.service(OpenOrdersRepository).findPending([id]))],
  };
}

describe('the ledger of a CA', () => {
  it('counts the same before and after uploads of every state', async () => {
    const { id, name } = await uploads.issued();
    await orders.fail(await orders.next(id), 'challenge', problems.user);
    const now = new Date();
    const before = await readLedger({ id, name }, now);
    expect(before.attempts.length).toBeGreaterThanOrEqual(2);
    expect(before.orders).toEqual([[id, expect.any(Array)]]);
    for (let count = 0; count < 5; count += 1) await upload(id, name);
    await upload(id, name, { crlUrls });
    await sql`
      update certificates c set state = ended.state from (
        select id, (array['expired', 'revoked', 'replaced', 'removed'])[row_number() over ()] as state
        from certificates where domain_id = ${id} and state = 'replaced'
      ) ended where c.id = ended.id`.execute(fixture.api.db);
    const { rows } = await sql<{ states: string[] }>`
      select array_agg(state order by state) as states from certificates
      where domain_id = ${id} and origin = 'uploaded'`.execute(fixture.api.db);
    expect(rows[0]?.states).toEqual(['active', 'checking', 'expired', 'removed', 'replaced', 'revoked']);
    expect(await readLedger({ id, name }, now)).toEqual(before);
  });
});

describe('an uploaded certificate', () => {
  it.each([
    ['an upload has an order', `ordered = true`, 'uploaded'],
    ['an upload replaces a certificate', `replaces = 'x'`, 'uploaded'],
    ['an upload is renewed', `renew_at = now() - interval '1 second'`, 'uploaded'],
    ['an upload is issued', `state = 'issued'`, 'uploaded'],
    ['an upload has an account', `account_thumbprint = 'x'`, 'uploaded'],
    ['an order is preferred', `is_preferred = true`, 'ordered'],
    ['an order is active', `state = 'active'`, 'ordered'],
    ['an order has no request', `csr_pem = null`, 'ordered'],
    ['an origin is unknown', `origin = 'found'`, 'ordered'],
  ])('is kept apart by the schema, where %s', async (_name, change, origin) => {
    const { id, name } = await uploads.issued();
    await upload(id, name);
    const changing = sql`update certificates set ${sql.raw(change)} where domain_id = ${id} and origin = ${origin}`;
    await expect(changing.execute(fixture.api.db)).rejects.toThrow('certificates_origin_check');
  });

  it('is neither renewed nor replaced by an order, which names the automatic one', async () => {
    const { id, name } = await uploads.issued();
    const dueAt = async () => (await orders.scheduleEntry(id, 'issuance')).dueAt;
    const planned = await dueAt();
    const own = await upload(id, name, { notAfter: new Date(Date.now() + 5 * 86_400_000) });
    expect(own.body.source).toBe('own');
    expect(await dueAt()).toEqual(planned);
    const { rows } = await sql<{ identifier: string }>`
      select identifier from certificates where domain_id = ${id} and state = 'issued'`.execute(fixture.api.db);
    expect((await orders.ask(id)).certificateIdentifier).toBe(rows[0]?.identifier);
    expect((await orders.next(id)).replaces).toBe(rows[0]?.identifier);
  });

  it('is replaced by no order where there is no automatic one', async () => {
    const { id, name, issue } = await fixture.verified();
    await upload(id, name);
    await orders.fail(issue, 'challenge', problems.user);
    expect((await orders.next(id)).replaces).toBeNull();
    const { rows } = await sql`select from domain_work where domain_id = ${id} and kind = 'renewal_info'
      and due_at is not null`.execute(fixture.api.db);
    expect(rows).toEqual([]);
  });

  it('is not revoked when its name goes to another organization, unlike the automatic one', async () => {
    const former = await fixture.tenant();
    const { id, name } = await addVerified(fixture, former, fixture.freshName());
    await fixture.issue(id, name);
    await waitUntil(async () => (await former.get(id)).certificate?.state === 'issued', { timeoutMs: 15_000 });
    const { own } = (await uploads.upload(id, await ca.issue({ names: [name] }), {}, former)).body;
    const next = await fixture.tenant();
    const theirs = await next.add(name);
    const token = theirs.ownership.record?.value ?? '';
    await fixture.check(theirs.id, (expected) => provenFindings(expected, token));
    await next.untilState(theirs.id, 'verified');
    await fixture.worker.nextRevocation(id);
    const { rows } = await sql<{ origin: string }>`
      select c.origin from certificate_revocations r join certificates c on c.id = r.certificate_id
      where r.domain_id = ${id}`.execute(fixture.api.db);
    expect(rows).toEqual([{ origin: 'ordered' }]);
    const ids = { certificateIds: [own?.id ?? ''], reason: 'unspecified', now: new Date() } as const;
    const requested = await fixture.api.db
      .transaction()
      .execute((tx) => fixture.api.service(RevocationsService).request(tx, ids));
    expect(requested).toEqual([]);
  });

  it('is not revoked by the operator, who is told why', async () => {
    const { id, name } = await uploads.issued();
    const { own } = (await upload(id, name)).body;
    const command = ['certificate', 'revoke', '--certificate', own?.id ?? ''];
    await expect(runAdminCommand(command, fixture.api.db, { ENVIRONMENT: 'development' })).rejects.toThrow(
      'the certificate was uploaded by its owner',
    );
  });

  it('keeps its key when unused keys of orders are deleted, also of a removed domain', async () => {
    const [renewed, removed] = [await uploads.issued(), await uploads.issued()];
    for (const { id, name } of [renewed, removed]) await upload(id, name);
    await upload(renewed.id, renewed.name, { crlUrls });
    await orders.fail(await orders.next(renewed.id), 'challenge', problems.user);
    await orders.issue(await orders.next(renewed.id));
    await fixture.api.request('DELETE', `${fixture.path()}/${removed.id}`, { key: fixture.key });
    const keysOf = async (origin: string) => {
      const { rows } = await sql<{ hasKey: boolean }>`
        select has_key as "hasKey" from certificates where domain_id = any(${[renewed.id, removed.id]}) and origin = ${origin}
        order by domain_id = ${removed.id}, created_at`.execute(fixture.api.db);
      return rows.map(({ hasKey }) => hasKey);
    };
    const tasks = backgroundTasks(createLogger('test', 'silent'));
    const later = () => new Date(Date.now() + 25 * 3_600_000);
    await new UnusedKeysSweeper(new UnusedKeysRepository(fixture.api.db), tasks, later).sweep();
    expect(await keysOf('ordered')).toEqual([false, false, true, false]);
    expect(await keysOf('uploaded')).toEqual([true, true, true]);
  });
});
