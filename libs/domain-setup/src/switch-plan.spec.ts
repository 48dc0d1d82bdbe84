import { describe, expect, it } from '@jest/globals';
import type { RequiredRecord, SetupDomain } from '@pets/contracts';
import { exampleDomain, exampleIssue } from './setup.example.js';
import { isShown, switchPlan } from './switch-plan.js';

const [name, value, resolver] = ['docs.example.com', '203.0.113.7', '192.0.2.53:53'];
const delegation: RequiredRecord = {
  ...{ type: 'CNAME', name: '_acme-challenge.docs', value: 'p6ns.acme.pets.example', ttl: 3600 },
  ...{ purpose: 'delegation', optional: true },
};
const remark = exampleIssue({ code: 'delegation_shadowed', area: 'delegation', blocking: false });

/** A name that has addresses elsewhere, each with a TTL. */
function visited(ttls: readonly number[], parts: Partial<SetupDomain> = {}): SetupDomain {
  const example = exampleDomain();
  return exampleDomain({
    records: [...example.records, delegation],
    readiness: { state: 'waiting', message: 'Create the record.' },
    dns: {
      ...example.dns,
      observed: ttls.map((ttl) => ({ type: 'A', name, value, ttl, resolver })),
      conflicts: [{ type: 'A', name, value, action: 'remove' }],
    },
    ...parts,
  });
}

describe('the plan of a switch', () => {
  it.each([
    ['long', [300, 7200], 7200, false],
    ['short', [300], 300, true],
  ])('has the record to create, and the longest TTL: %s', (_case, ttls, ttl, isTtlShort) => {
    const plan = switchPlan(visited(ttls, { issues: [remark] }));
    expect(plan).toMatchObject({ ttl, isTtlShort, issues: [remark] });
    expect(plan?.lines.map(({ action, record }) => [action, record.name])).toEqual([['add', delegation.name]]);
  });

  it('stays when the certificate is there, whatever name servers show', () => {
    const readiness = { state: 'ready', message: 'You can switch.' } as const;
    expect(switchPlan(visited([], { readiness }))).toMatchObject({ readiness, ttl: null, isTtlShort: true });
  });

  it.each<[string, SetupDomain]>([
    ['of a name that nobody serves', visited([])],
    ['of a wildcard, which needs the record', visited([60], { name: `*.${name}` })],
    [
      'behind a proxy, where the record may be right',
      visited([60], { issues: [exampleIssue({ code: 'proxied_by_cdn' })] }),
    ],
    ['after the switch', visited([60], { state: 'verified' })],
    ['where challenges cannot be delegated', visited([60], { readiness: null })],
  ])('is none %s', (_case, domain) => expect(switchPlan(domain)).toBeNull());
});

it('an issue of the delegation is said once: in the steps of the switch, or beside the records', () => {
  expect(isShown(remark, visited([60], { issues: [remark] }))).toBe(false);
  expect(isShown(remark, visited([], { issues: [remark] }))).toBe(true);
  expect(isShown(exampleIssue(), visited([60]))).toBe(true);
});
