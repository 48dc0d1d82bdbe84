import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, DomainJobs } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { addVerified, untilIssues } from '../domains/domain-steps.js';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import {
  attemptOf,
  flattenedFindings,
  flattenedWithProof,
  flattenedWithWww,
  matchingFindings,
  provenFindings,
} from '../scripted-worker.js';

let fixture: DomainFixture;
let count = 0;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

const freshApex = () => `apex-${++count}.com`;
const tokenOf = ({ ownership }: Domain) => ownership.record?.value ?? '';
const recordsOf = ({ records }: Domain) => records.map(({ type, name }) => `${type} ${name}`);
const nextCheck = (id: string): Promise<DomainJobs['verify-dns']> => fixture.worker.nextJob('verify-dns', id);

/** Somebody who has the `www.` name of an apex, and the apex, which is not verified. */
async function withWww(owner: Tenant, apex: string): Promise<Domain> {
  await addVerified(fixture, owner, `www.${apex}`);
  return owner.add(apex);
}

describe('an apex that shows addresses alone', () => {
  it('is not verified without the TXT record, even if no other organization added it', async () => {
    const [victim, other] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    await addVerified(fixture, victim, `www.${apex}`);
    const added = await other.add(apex);
    expect(added.ownership).toMatchObject({ required: true, state: 'pending' });
    expect(recordsOf(added)).toEqual(['ALIAS @', 'TXT _platform-challenge']);
    await fixture.check(added.id, flattenedFindings);
    await untilIssues(other, added.id, ['ownership_txt_missing']);
    expect(await other.get(added.id)).toMatchObject({ state: 'awaiting_dns', ownership: { state: 'pending' } });
  });

  it('is verified with the TXT record', async () => {
    const owner = await fixture.tenant();
    const added = await owner.add(freshApex());
    await fixture.check(added.id, (expected) => flattenedWithProof(expected, tokenOf(added)));
    await owner.untilState(added.id, 'verified');
    expect((await owner.get(added.id)).ownership).toMatchObject({ required: true, state: 'proven' });
  });

  it('is verified without it where it shows the target of the organization, which nobody can guess', async () => {
    const owner = await fixture.tenant();
    const added = await addVerified(fixture, owner, freshApex());
    expect(added.ownership).toEqual({ required: false, state: 'not_required', record: null });
    expect(recordsOf(added)).toEqual(['ALIAS @']);
  });

  it('keeps serving once it is verified, and its checks ask for the TXT record only with addresses', async () => {
    const owner = await fixture.tenant();
    const { id } = await addVerified(fixture, owner, freshApex());
    await fixture.makeDue(id, 'dns');
    const check = await nextCheck(id);
    expect(check.expected).toMatchObject({ ownershipHost: expect.any(String), isProofByAddress: true });
    await fixture.api.messaging.events.emit('dns.checked', {
      ...attemptOf(check),
      findings: flattenedFindings(check.expected),
    });
    const isChecked = async () => (await owner.get(id)).dns.observed.some(({ type }) => type === 'A');
    await waitUntil(isChecked, { message: 'the check' });
    expect(await owner.get(id)).toMatchObject({ state: 'verified', issues: [], ownership: { required: false } });
  });

  it('gets an issue for the missing record from a check that an older version requested', async () => {
    const owner = await fixture.tenant();
    const { id } = await owner.add(freshApex());
    await fixture.check(id, (expected) => flattenedFindings({ ...expected, ownershipHost: null }));
    await untilIssues(owner, id, ['ownership_txt_missing']);
  });
});

describe('an apex whose www name the same organization has', () => {
  it('needs no TXT record, and does not ask for one', async () => {
    const owner = await fixture.tenant();
    const added = await withWww(owner, freshApex());
    expect(added.ownership.required).toBe(false);
    expect(recordsOf(added)).toEqual(['ALIAS @']);
    await fixture.check(added.id, (expected) => flattenedWithWww(expected));
    await owner.untilState(added.id, 'verified');
    expect((await owner.get(added.id)).ownership).toEqual({ required: false, state: 'not_required', record: null });
  });

  it('needs it where www is in a zone of its own, and then says so', async () => {
    const owner = await fixture.tenant();
    const added = await withWww(owner, freshApex());
    await fixture.check(added.id, (expected) => flattenedWithWww(expected, `www.${added.name}`));
    await untilIssues(owner, added.id, ['ownership_txt_missing']);
    const shown = await owner.get(added.id);
    expect(shown.ownership.required).toBe(true);
    expect(recordsOf(shown)).toEqual(['ALIAS @', 'TXT _platform-challenge']);
    await fixture.check(added.id, (expected) => flattenedWithProof(expected, tokenOf(shown)));
    await owner.untilState(added.id, 'verified');
  });

  it('needs it where the zone could not be asked', async () => {
    const owner = await fixture.tenant();
    const added = await withWww(owner, freshApex());
    await fixture.check(added.id, flattenedFindings);
    await untilIssues(owner, added.id, ['ownership_txt_missing']);
  });

  it.each(['the apex', 'the www name'])('needs it where another organization has a claim on %s', async (which) => {
    const [owner, other] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    await addVerified(fixture, owner, `www.${apex}`);
    await other.add(which === 'the apex' ? apex : `www.${apex}`);
    const added = await owner.add(apex);
    expect(added.ownership.required).toBe(true);
    expect((await nextCheck(added.id)).expected).toMatchObject({ wwwTargetHost: null });
  });

  it('needs it where another organization claims the www name while the check is under way', async () => {
    const [owner, other] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    const added = await withWww(owner, apex);
    const { expected, ...attempt } = await nextCheck(added.id);
    await other.add(`www.${apex}`);
    await fixture.api.messaging.events.emit('dns.checked', {
      ...attemptOf(attempt),
      findings: flattenedWithWww(expected),
    });
    await untilIssues(owner, added.id, ['ownership_txt_missing']);
  });

  it('needs it where the www name was taken from another organization', async () => {
    const [owner, former] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    await addVerified(fixture, former, `www.${apex}`);
    const www = await owner.add(`www.${apex}`);
    await fixture.check(www.id, (expected) => provenFindings(expected, tokenOf(www)));
    await owner.untilState(www.id, 'verified');
    expect((await owner.add(apex)).ownership.required).toBe(true);
  });

  it('needs it where the www name waits for its record, or was removed', async () => {
    const owner = await fixture.tenant();
    const [waiting, removed] = [freshApex(), freshApex()];
    await owner.add(`www.${waiting}`);
    await owner.remove((await addVerified(fixture, owner, `www.${removed}`)).id);
    for (const apex of [waiting, removed]) expect((await owner.add(apex)).ownership.required).toBe(true);
  });

  it('is checked as soon as the www name of its pair is verified', async () => {
    const owner = await fixture.tenant();
    const apex = freshApex();
    const body = { name: apex, pair: true };
    const path = `/v1/projects/${owner.projectId}/domains`;
    const { body: added } = await fixture.api.request<Domain>('POST', path, { key: owner.key, body });
    expect(added.ownership.required).toBe(true);
    await fixture.check(added.id, flattenedFindings);
    await untilIssues(owner, added.id, ['ownership_txt_missing']);
    await sql`update domain_work set due_at = now() + interval '1 hour' where domain_id = ${added.id}`.execute(
      fixture.api.db,
    );
    await fixture.check(added.pairedWith ?? '', matchingFindings);
    // A check that was under way when www was verified did not ask for it.
    let isAsked = false;
    while (!isAsked) {
      const { expected, ...attempt } = await nextCheck(added.id);
      isAsked = expected.wwwTargetHost !== undefined;
      const findings = isAsked ? flattenedWithWww(expected) : flattenedFindings(expected);
      await fixture.api.messaging.events.emit('dns.checked', { ...attemptOf(attempt), findings });
    }
    await owner.untilState(added.id, 'verified');
  });
});

describe('a claim on an apex that was never verified', () => {
  it('ends with its removal: the next organization is not held up by it', async () => {
    const [former, owner] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    const theirs = await former.add(apex);
    const ours = await owner.add(apex);
    await fixture.check(ours.id, matchingFindings);
    await untilIssues(owner, ours.id, ['ownership_txt_missing', 'apex_cname_to_us']);
    await former.remove(theirs.id);
    await fixture.api.request('POST', `/v1/projects/${owner.projectId}/domains/${ours.id}/verify`, { key: owner.key });
    await fixture.check(ours.id, matchingFindings);
    await owner.untilState(ours.id, 'verified');
    expect((await owner.get(ours.id)).ownership.required).toBe(false);
  });

  it('ends for the www name as well, and keeps its tokens for whoever adds the name again', async () => {
    const [former, owner] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    const first = await former.add(`www.${apex}`);
    await former.remove(first.id);
    expect((await withWww(owner, apex)).ownership.required).toBe(false);
    expect((await former.add(`www.${apex}`)).records[0]).toEqual(first.records[0]);
  });

  it('stays after the removal of one that was verified', async () => {
    const [former, owner] = [await fixture.tenant(), await fixture.tenant()];
    const apex = freshApex();
    await former.remove((await addVerified(fixture, former, apex)).id);
    const ours = await owner.add(apex);
    await fixture.check(ours.id, matchingFindings);
    await untilIssues(owner, ours.id, ['ownership_txt_missing', 'apex_cname_to_us']);
  });
});
