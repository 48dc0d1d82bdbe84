import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainJobs } from '@pets/contracts';
import { knownCaLimits, registrableDomainOf } from '@pets/domains';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { CaUsageRepository } from '../../src/certificates/ca-usage.repository.js';
import { certificateSteps, letsEncrypt, type CertificateSteps } from './certificate-steps.js';
import { openOrderSteps } from './open-order-steps.js';
import { directoryUrl, startDomainFixture, type DomainFixture } from '../domain-fixture.js';

let fixture: DomainFixture;
let steps: CertificateSteps;
let keys = 0;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: directoryUrl });
  steps = certificateSteps(fixture);
});
afterAll(() => fixture.close());

const thumbprint = async () => (await new EdgeFeedRepository(fixture.api.db).head()).thumbprint;

/** A worker announces that another key orders now. @returns its thumbprint */
async function replaceKey(): Promise<string> {
  const next = `thumb-${++keys}`;
  await fixture.api.messaging.events.emit('account.ready', {
    directoryUrl,
    accountUrl: `${directoryUrl}/${next}`,
    thumbprint: next,
  });
  await waitUntil(async () => (await thumbprint()) === next, { timeoutMs: 15_000, message: 'the thumbprint' });
  return next;
}

async function issued(): Promise<DomainJobs['issue-certificate']> {
  const id = await steps.verify(fixture.freshName());
  const job = await fixture.worker.nextJob('issue-certificate', id);
  await steps.issue(job);
  return job;
}

describe('the account key', () => {
  it('whose thumbprint the edges have is the one that orders', async () => {
    expect((await issued()).accountThumbprint).toBe(await thumbprint());
    const next = await replaceKey();
    expect((await issued()).accountThumbprint).toBe(next);
  });

  it('that was replaced revokes what it ordered', async () => {
    const job = await issued();
    await replaceKey();
    await sql`
      insert into certificate_revocations
        (certificate_id, domain_id, directory_url, account_thumbprint, chain_pem, reason, requested_at, expires_at, due_at)
      select id, domain_id, directory_url, account_thumbprint, chain_pem, 'superseded', now(), not_after, now()
      from certificates where domain_id = ${job.domainId} and state = 'issued'`.execute(fixture.api.db);
    const { accountThumbprint } = job;
    expect(await fixture.worker.nextRevocation(job.domainId)).toMatchObject({ directoryUrl, accountThumbprint });
  });

  it('names the certificate that a renewal replaces, unless another key has ordered that', async () => {
    const job = await issued();
    const renewal = await steps.next(job.domainId);
    expect(renewal).toMatchObject({ replaces: expect.any(String), accountThumbprint: job.accountThumbprint });
    const next = await replaceKey();
    expect(await steps.next(job.domainId)).toMatchObject({ replaces: null, accountThumbprint: next });
  });

  it('that was replaced finishes its orders, of which those that wait for a challenge by HTTP-01 are only read', async () => {
    const orders = openOrderSteps(fixture);
    const { id, issue } = await fixture.verified();
    await orders.order(issue);
    await orders.loseLease(id);
    const { accountThumbprint } = issue;
    expect(await orders.next(id)).toMatchObject({ accountThumbprint, order: { isReadOnly: false } });
    await replaceKey();
    await orders.loseLease(id);
    expect(await orders.next(id)).toMatchObject({ accountThumbprint, order: { isReadOnly: true } });
  });

  it('that was replaced counts as before towards the limits of the CA', async () => {
    const { domainId, expected } = await issued();
    const subject = { domainId, name: expected.name, apexName: registrableDomainOf(expected.name) ?? '' };
    const now = new Date();
    const limits = knownCaLimits(letsEncrypt);
    const orders = limits.find(({ kind }) => kind === 'orders');
    if (orders === undefined) throw new Error('the CA limits orders');
    const { db } = fixture.api;
    const usage = fixture.api.service(CaUsageRepository);
    const read = async () => ({
      names: await usage.findUsage(db, directoryUrl, limits, [subject], now),
      fullAt: await usage.findFullAt(db, directoryUrl, orders, now),
    });
    const before = await read();
    expect(before.names.find(({ kind }) => kind === 'exact_set')?.times).toHaveLength(1);
    await replaceKey();
    expect(await read()).toEqual(before);
  });
});
