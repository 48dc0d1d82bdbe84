import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DnsFindings, DnsLookup, DnsQuestionType, ExpectedDns } from '@pets/contracts';
import { issueCodesOf, untilIssues } from '../domains/domain-steps.js';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { matchingFindings, withLookups } from '../scripted-worker.js';

let fixture: DomainFixture;
let owner: Tenant;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  owner = await fixture.tenant();
});
afterAll(() => fixture.close());

const lookup = (name: string, type: DnsQuestionType, value: string): DnsLookup => ({
  name,
  type,
  server: '192.0.2.53:53',
  answer: { kind: 'found', records: [{ value, ttl: 60 }] },
});

/** The right CNAME, and an address of each family at the same name. */
function conflicting(expected: ExpectedDns): DnsFindings {
  const { name, targetHost } = expected;
  const beside = [lookup(name, 'A', '203.0.113.7'), lookup(name, 'AAAA', '2001:db8::7')];
  return withLookups(matchingFindings(expected), [...beside, lookup(targetHost, 'A', '198.51.100.7')]);
}

it('addresses beside the right CNAME are records to remove, and the domain waits until they are gone', async () => {
  const { id, name } = await owner.add(fixture.freshName());
  await fixture.check(id, conflicting);
  await untilIssues(owner, id, ['conflicting_records']);
  const domain = await owner.get(id);
  expect(domain).toMatchObject({ state: 'awaiting_dns', certificate: null });
  expect(domain.issues[0]).toMatchObject({
    severity: 'error',
    remediation: expect.stringContaining('Remove these records: A 203.0.113.7, AAAA 2001:db8::7.'),
  });
  expect(domain.dns.conflicts).toEqual([
    { type: 'A', name, value: '203.0.113.7', action: 'remove' },
    { type: 'AAAA', name, value: '2001:db8::7', action: 'remove' },
  ]);
  await fixture.makeDue(id, 'dns');
  await fixture.check(id, matchingFindings);
  await owner.untilState(id, 'verified');
  const { conflicts, former } = (await owner.get(id)).dns;
  expect(conflicts).toEqual([]);
  const gone = domain.dns.conflicts.map((conflict) => ({ ...conflict, ttl: 60, goneAt: expect.any(String) }));
  expect(former).toEqual(gone);
});

it('an apex with a CNAME to its target is verified, and warned about', async () => {
  const { id } = await owner.add('cname-at-the-apex.com');
  await fixture.check(id, matchingFindings);
  await owner.untilState(id, 'verified');
  const domain = await owner.get(id);
  expect(issueCodesOf(domain)).toEqual(['apex_cname_to_us']);
  expect(domain.issues[0]?.severity).toBe('warning');
});
