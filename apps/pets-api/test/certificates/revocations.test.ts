import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaProblem, Domain, DomainJobs, RevocationReason } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { RevocationsRepository, RevocationsService } from '../../src/certificates/revocations/revocations.service.js';
import { runRetention } from '../operations/retention-fixture.js';
import { addVerified } from '../domains/domain-steps.js';
import { directoryUrl, startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { orderOf, provenFindings, signRequest } from '../scripted-worker.js';

type Job = DomainJobs['revoke-certificate'];

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await startDomainFixture();
});
afterAll(() => fixture.close());

const tokenOf = ({ ownership }: Domain) => ownership.record?.value ?? '';
const typesOf = async (owner: Tenant, id: string) => (await owner.events(id)).map(({ type }) => type);

async function withCertificate(owner: Tenant, name = fixture.freshName()): Promise<Domain> {
  const domain = await addVerified(fixture, owner, name);
  await fixture.issue(domain.id, name);
  await fixture.worker.nextJob('probe-edge', domain.id);
  return domain;
}

/** Another organization proves that it owns the name. */
async function takeOver(name: string): Promise<Domain> {
  const next = await fixture.tenant();
  const ours = await next.add(name);
  await fixture.check(ours.id, (expected) => provenFindings(expected, tokenOf(ours)));
  await next.untilState(ours.id, 'verified');
  return ours;
}

const fact = ({ certificateId, domainId, attempt }: Job) => ({ certificateId, domainId, attempt, directoryUrl });
const answer = (job: Job) => fixture.api.messaging.events.emit('certificate.revoked', fact(job));
const refuse = (job: Job, problem: Partial<CaProblem>) =>
  fixture.api.messaging.events.emit('certificate.revocation_failed', {
    ...fact(job),
    problem: { type: null, detail: 'connect ECONNREFUSED', status: null, retryAt: null, ...problem },
  });

async function rowOf({ certificateId }: Pick<Job, 'certificateId'>) {
  const { rows } = await sql<{ state: string; failures: number; attempt: number; seconds: number; reason: string }>`
    select state, failures, attempt, reason, extract(epoch from due_at - now())::float8 as seconds
    from certificate_revocations where certificate_id = ${certificateId}`.execute(fixture.api.db);
  return rows[0];
}
const makeDue = ({ certificateId }: Job) =>
  sql`
    with due as (update certificate_revocations set due_at = now() - interval '1 second' where certificate_id = ${certificateId})
    select pg_notify('certificate_revocations', '')`.execute(fixture.api.db);
/** Waits until every event is handled. They are handled side by side, so that one which comes last may not be the last. */
const untilHandled = () =>
  waitUntil(async () => {
    const states = await fixture.api.messaging.queueStates();
    return states.some(({ queue, jobs }) => queue === 'domain-events' && jobs.waiting + jobs.active === 0);
  });
const untilFailures = (job: Job, failures: number) =>
  waitUntil(async () => (await rowOf(job))?.failures === failures, { message: `${failures} failures` });
const untilEnded = (job: Job, state: string) =>
  waitUntil(async () => (await rowOf(job))?.state === state, { message: state });

describe('a name that moves to another organization', () => {
  it('has the certificate of its former owner revoked, which the history says', async () => {
    const former = await fixture.tenant();
    const theirs = await withCertificate(former);
    const { rows } = await sql<{ chain: string }>`
      select chain_pem as chain from certificates where domain_id = ${theirs.id}`.execute(fixture.api.db);
    await takeOver(theirs.name);
    const job = await fixture.worker.nextRevocation(theirs.id);
    const leaf = new X509Certificate(rows[0]?.chain ?? '');
    expect(job).toMatchObject({
      directoryUrl,
      attempt: 1,
      reason: 'cessation_of_operation',
      certificate: leaf.raw.toString('base64url'),
    });
    await answer(job);
    await untilEnded(job, 'revoked');
    const history = await former.events(theirs.id);
    expect(history.slice(-2).map(({ type, to }) => `${type} ${to}`)).toEqual([
      'owner.lost removed',
      'certificate.revoked removed',
    ]);
    expect(history.at(-1)?.detail).toContain(leaf.serialNumber.toLowerCase());
  });

  it('has those revoked of each domain that it had for the name, and none that has expired', async () => {
    const former = await fixture.tenant();
    const first = await withCertificate(former);
    await former.remove(first.id);
    const second = await withCertificate(former, first.name);
    await sql`update certificates set not_after = now() - interval '1 second' where domain_id = ${second.id}`.execute(
      fixture.api.db,
    );
    await takeOver(first.name);
    const job = await fixture.worker.nextRevocation(first.id);
    await answer(job);
    await untilEnded(job, 'revoked');
    const { rows } = await sql`
      select from certificate_revocations r join certificates c on c.id = r.certificate_id
      where c.name = ${first.name}`.execute(fixture.api.db);
    expect(rows).toHaveLength(1);
  });

  it('has them revoked too where the former owner had removed the domain', async () => {
    const former = await fixture.tenant();
    const theirs = await withCertificate(former);
    await former.remove(theirs.id);
    await takeOver(theirs.name);
    expect((await fixture.worker.nextRevocation(theirs.id)).reason).toBe('cessation_of_operation');
  });

  it('has one revoked that the CA issues when the name has moved', async () => {
    const former = await fixture.tenant();
    const theirs = await addVerified(fixture, former, fixture.freshName());
    const late = await fixture.worker.nextJob('issue-certificate', theirs.id);
    await takeOver(theirs.name);
    const chainPem = await signRequest(late.csrPem, theirs.name);
    await fixture.api.messaging.events.emit('certificate.issued', { ...orderOf(late), chainPem });
    const job = await fixture.worker.nextRevocation(theirs.id);
    expect(job.certificate).toBe(new X509Certificate(chainPem).raw.toString('base64url'));
    expect((await former.get(theirs.id)).certificate).toBeNull();
  });

  it('keeps the certificates of the organization that has it now, also when it adds the name again', async () => {
    const owner = await fixture.tenant();
    const first = await withCertificate(owner);
    await owner.remove(first.id);
    await withCertificate(owner, first.name);
    const { rows } = await sql`
      select from certificate_revocations r join certificates c on c.id = r.certificate_id
      where c.name = ${first.name}`.execute(fixture.api.db);
    expect(rows).toEqual([]);
  });
});

describe('a revocation', () => {
  async function begin(): Promise<{ former: Tenant; domainId: string; job: Job }> {
    const former = await fixture.tenant();
    const theirs = await withCertificate(former);
    await takeOver(theirs.name);
    return { former, domainId: theirs.id, job: await fixture.worker.nextRevocation(theirs.id) };
  }

  it('that fails is tried again after a minute, then less often, and the history says so once', async () => {
    const { former, domainId, job } = await begin();
    await refuse(job, {});
    await untilFailures(job, 1);
    expect((await rowOf(job))?.seconds).toBeGreaterThan(30);
    await makeDue(job);
    const second = await fixture.worker.nextRevocation(domainId);
    expect(second.attempt).toBe(2);
    await refuse(second, {});
    await untilFailures(job, 2);
    expect((await rowOf(job))?.seconds).toBeGreaterThan(500);
    expect((await typesOf(former, domainId)).filter((type) => type === 'certificate.revocation_failed')).toHaveLength(
      1,
    );
  });

  it('of a certificate that was revoked before is done', async () => {
    const { former, domainId, job } = await begin();
    await refuse(job, { type: 'urn:ietf:params:acme:error:alreadyRevoked', status: 400 });
    await untilEnded(job, 'revoked');
    expect((await typesOf(former, domainId)).at(-1)).toBe('certificate.revoked');
  });

  it('whose reason the CA does not take is asked for again without one', async () => {
    const { domainId, job } = await begin();
    await refuse(job, { type: 'urn:ietf:params:acme:error:badRevocationReason', status: 400 });
    expect(await fixture.worker.nextRevocation(domainId)).toMatchObject({ attempt: 2, reason: 'unspecified' });
  });

  it('ends when the certificate has expired, without asking the CA', async () => {
    const { former, domainId, job } = await begin();
    await sql`update certificate_revocations set expires_at = now() - interval '1 second' where certificate_id = ${job.certificateId}`.execute(
      fixture.api.db,
    );
    await makeDue(job);
    await untilEnded(job, 'expired');
    expect((await typesOf(former, domainId)).at(-1)).toBe('certificate.revocation_ended');
  });

  it('whose job is lost is dispatched again when its lease is over', async () => {
    const { domainId, job } = await begin();
    const leaseSeconds = (await rowOf(job))?.seconds ?? 0;
    expect(leaseSeconds).toBeGreaterThan(10);
    expect(leaseSeconds).toBeLessThanOrEqual(40);
    await makeDue(job);
    const second = await fixture.worker.nextRevocation(domainId);
    // The failure of an outdated attempt changes nothing; that the CA has revoked it is so, whichever attempt it was.
    await refuse(job, {});
    await answer(job);
    await untilEnded(job, 'revoked');
    expect(await rowOf(second)).toMatchObject({ failures: 0, attempt: 2 });
  });

  it('is written into the history once, however often the CA’s answer is delivered', async () => {
    const { former, domainId, job } = await begin();
    await answer(job);
    await answer(job);
    await untilEnded(job, 'revoked');
    await answer(job);
    await refuse(job, {});
    await untilHandled();
    expect((await typesOf(former, domainId)).filter((type) => type.startsWith('certificate.revo'))).toEqual([
      'certificate.revoked',
    ]);
  });
});

describe('a request', () => {
  const service = () => new RevocationsService(new RevocationsRepository(fixture.api.db));
  const request = (certificateIds: string[], reason: RevocationReason) =>
    fixture.api.db.transaction().execute((tx) => service().request(tx, { certificateIds, reason, now: new Date() }));

  it('has the certificates revoked that are valid, and says which', async () => {
    const owner = await fixture.tenant();
    const { id } = await withCertificate(owner);
    const { rows } = await sql<{ id: string }>`select id from certificates where domain_id = ${id}`.execute(
      fixture.api.db,
    );
    const ids = rows.map((row) => row.id);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await request([...ids, unknown], 'superseded')).toEqual(ids);
    expect((await fixture.worker.nextRevocation(id)).reason).toBe('superseded');
    expect(await request(ids, 'superseded')).toEqual([]);
    // Certificate authorities have to be told of a key that others know, whatever they were told before.
    expect(await request(ids, 'key_compromise')).toEqual(ids);
    const job = await fixture.worker.nextRevocation(id);
    expect(job.reason).toBe('key_compromise');
    await answer(job);
    await untilEnded(job, 'revoked');
    expect(await request(ids, 'key_compromise')).toEqual([]);
    expect((await owner.get(id)).state).toBe('verified');
  });

  it('of none asks for nothing', async () => {
    expect(await request([], 'superseded')).toEqual([]);
  });

  it('is forgotten some time after the certificate has expired', async () => {
    const owner = await fixture.tenant();
    const { id } = await withCertificate(owner);
    const { rows } = await sql<{ id: string }>`select id from certificates where domain_id = ${id}`.execute(
      fixture.api.db,
    );
    await request(
      rows.map((row) => row.id),
      'superseded',
    );
    await runRetention(fixture.api.db, { days: 119 });
    expect(await rowOf({ certificateId: rows[0]?.id ?? '' })).toBeDefined();
    await runRetention(fixture.api.db, { days: 121 });
    expect(await rowOf({ certificateId: rows[0]?.id ?? '' })).toBeUndefined();
  });
});
