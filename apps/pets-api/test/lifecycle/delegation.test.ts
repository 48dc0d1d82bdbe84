import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, RequiredRecord } from '@pets/contracts';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { addVerified, untilIssues } from '../domains/domain-steps.js';
import { emptyFindings, matchingFindings, withDelegation } from '../scripted-worker.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
});
afterAll(() => fixture.close());

const delegationOf = ({ records }: Domain): RequiredRecord | undefined =>
  records.find(({ purpose }) => purpose === 'delegation');

describe('the record that delegates challenges', () => {
  it('is offered for a subdomain and an apex, and is optional', async () => {
    const owner = await fixture.tenant();
    const [sub, apex] = [await owner.add(fixture.freshName()), await owner.add('delegated-apex.com')];
    const value = expect.stringMatching(/^[a-z2-7]{20}\.acme\.pets\.localhost$/);
    const common = { type: 'CNAME', value, ttl: 3600, purpose: 'delegation', optional: true };
    expect(delegationOf(sub)).toEqual({ ...common, name: `_acme-challenge.${sub.name.split('.')[0]}` });
    expect(delegationOf(apex)).toEqual({ ...common, name: '_acme-challenge' });
    expect(delegationOf(sub)?.value).not.toBe(delegationOf(apex)?.value);
    expect(sub.records.filter(({ optional }) => optional)).toHaveLength(1);
  });

  it('is another one when the name is added again, and the old one ends with the removal', async () => {
    const owner = await fixture.tenant();
    const name = fixture.freshName();
    const before = await owner.add(name);
    await owner.remove(before.id);
    expect(delegationOf(await owner.get(before.id))).toBeUndefined();
    const after = await owner.add(name);
    expect(delegationOf(after)?.value).not.toBe(delegationOf(before)?.value);
    // The target of the routing record stays the same.
    expect(after.records[0]).toEqual(before.records[0]);
  });

  it('is looked up by every check of a domain that is not removed', async () => {
    const owner = await fixture.tenant();
    const domain = await owner.add(fixture.freshName());
    const job = await fixture.worker.nextJob('verify-dns', domain.id);
    expect(job.expected.delegation).toEqual({
      host: `_acme-challenge.${domain.name}`,
      target: delegationOf(domain)?.value,
    });
  });

  it('proves ownership: with the routing record, the name moves here without the TXT record', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await addVerified(fixture, former, name);
    const ours = await next.add(name);
    await fixture.check(ours.id, (expected) => withDelegation(matchingFindings(expected), expected));
    await next.untilState(ours.id, 'verified');
    expect((await next.get(ours.id)).ownership).toMatchObject({ required: true, state: 'proven' });
    expect((await former.get(theirs.id)).state).toBe('removed');
  });

  it('proves nothing where it points to the target of another domain, and says so', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await addVerified(fixture, former, name);
    const ours = await next.add(name);
    const target = delegationOf(theirs)?.value ?? '';
    await fixture.check(ours.id, (expected) => withDelegation(matchingFindings(expected), expected, target));
    await untilIssues(next, ours.id, ['ownership_txt_missing', 'claimed_elsewhere', 'delegation_mismatch']);
    expect((await former.get(theirs.id)).state).toBe('verified');
  });

  it('with a wrong target is explained while the domain awaits its DNS', async () => {
    const owner = await fixture.tenant();
    const { id } = await owner.add(fixture.freshName());
    await fixture.check(id, (expected) => withDelegation(emptyFindings(expected), expected, 'x.example.net'));
    await untilIssues(owner, id, ['no_record', 'delegation_mismatch']);
  });
});

it('is not offered without a zone for challenges', async () => {
  const other = await startDomainFixture();
  try {
    const domain = await other.add(other.freshName());
    expect(domain.records.map(({ purpose }) => purpose)).toEqual(['routing']);
    const job = await other.worker.nextJob('verify-dns', domain.id);
    expect(job.expected).toMatchObject({ delegation: null });
  } finally {
    await other.close();
  }
});
