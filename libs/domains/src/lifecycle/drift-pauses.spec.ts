import { describe, expect, it } from '@jest/globals';
import { failed, in_, live, mismatch, unknown } from '../../test/lifecycle-facts.js';
import type { DnsVerdict } from '../dns/evaluate-dns.js';
import type { DnsChecked, DomainFacts } from './domain-trigger.js';
import { transition } from './transition.js';

const HOUR_MS = 3_600_000;
const start = in_(3_600);
const found: DnsVerdict = { kind: 'matches', by: 'target' };
const checkedAs = (dns: DnsVerdict): DnsChecked => ({
  type: 'dns.checked',
  dns,
  ownership: null,
  isClaimedElsewhere: false,
});

/** A live domain that nobody watches, with a certificate that is far from its alerts. */
const domain: DomainFacts = { ...live, certificate: { notBefore: start, notAfter: in_(800 * 86_400) } };

/**
 * Checks a domain as scheduled, or sooner while somebody looks at it. @returns it after `hours`, and when it was checked, in
 * hours
 */
function run(from: DomainFacts, dns: DnsVerdict, hours: number, lookMs = Infinity) {
  let [facts, at]: [DomainFacts, Date] = [{ ...from, checkedAt: null }, start];
  const checks: number[] = [];
  while (at.getTime() < start.getTime() + hours * HOUR_MS) {
    checks.push((at.getTime() - start.getTime()) / HOUR_MS);
    const outcome = transition(facts, checkedAs(dns), at);
    const { dueAt, failuresInARow = facts.failuresInARow, unchangedChecks = 0 } = outcome?.work.dns ?? { dueAt: null };
    if (outcome === null || dueAt === null) throw new Error('it is not checked again');
    facts = {
      ...facts,
      misconfigured: outcome.misconfigured,
      dnsIssues: outcome.issues.dns ?? facts.dnsIssues,
      conflicts: outcome.conflicts ?? facts.conflicts,
      failuresInARow,
      unchangedChecks,
      checkedAt: at,
    };
    at = new Date(Math.min(dueAt.getTime(), at.getTime() + lookMs));
  }
  return { facts, checks };
}

const pauseAfter = (facts: DomainFacts, trigger: DnsChecked) =>
  ((transition(facts, trigger, start)?.work.dns?.dueAt?.getTime() ?? 0) - start.getTime()) / HOUR_MS;

describe('the pauses between drift checks', () => {
  it.each([
    ['points here', found],
    ['points elsewhere', mismatch],
    ['cannot be found, since its servers fail', unknown],
  ])('lengthen for a name that always %s: hourly for a day, then less than three a day', (_name, dns) => {
    for (const jitter of [0, 1]) {
      const { checks } = run({ ...domain, jitter }, dns, 14 * 24);
      expect(checks.filter((hour) => hour < 18).length).toBeGreaterThanOrEqual(18);
      const later = checks.filter((hour) => hour >= 7 * 24);
      expect(later.length / 7).toBeLessThan(1.5);
    }
  });

  const stable: DomainFacts = { ...run(domain, found, 14 * 24).facts, checkedAt: null };

  it.each<[string, DomainFacts, DnsChecked]>([
    ['the records are lost', stable, checkedAs(mismatch)],
    ['the zone moves to other name servers', stable, { ...checkedAs(found), hasNewNameServers: true }],
    ['the owner has asked for the check', { ...stable, requestedAt: start }, checkedAs(found)],
    ['the records are back', { ...run(stable, mismatch, 14 * 24).facts, checkedAt: null }, checkedAs(found)],
  ])('are an hour again when %s', (_name, facts, trigger) => {
    expect(pauseAfter(stable, checkedAs(found))).toBeGreaterThan(17);
    expect(pauseAfter(facts, trigger)).toBeLessThanOrEqual(1);
  });

  it('let a lost record count as misconfigured two hours after the check that finds it', () => {
    const { facts, checks } = run(stable, mismatch, 2.1);
    expect(checks).toHaveLength(3);
    expect(facts.misconfigured).toBe(true);
  });

  it.each([
    ['right', found],
    ['lost', mismatch],
  ])('do not depend on who looks at a name whose records are %s', (_name, dns) => {
    const scheduled = transition(stable, checkedAs(dns), start);
    const { facts, checks } = run(stable, dns, 0.25, 10_000);
    expect(checks.length).toBeGreaterThan(80);
    expect(facts).toMatchObject({
      misconfigured: false,
      failuresInARow: scheduled?.work.dns?.failuresInARow,
      unchangedChecks: scheduled?.work.dns?.unchangedChecks,
    });
  });

  it('count a check half an hour after the one before', () => {
    const [soon, later] = [in_(3_600 + 1_799), in_(3_600 + 1_800)].map((now) =>
      transition({ ...stable, checkedAt: start }, checkedAs(found), now),
    );
    expect(soon?.work.dns?.unchangedChecks).toBe(stable.unchangedChecks);
    expect(later?.work.dns?.unchangedChecks).toBe(stable.unchangedChecks + 1);
  });

  it('end when a check before an order fails, unless the loss is known', () => {
    expect(transition(stable, failed('user', true), start)?.work.dns).toEqual({ dueAt: start });
    const lost = run(stable, mismatch, 14 * 24).facts;
    const { dns, issuance } = transition(lost, failed('user', true), start)?.work ?? {};
    expect(dns).toBeUndefined();
    expect(((issuance?.dueAt?.getTime() ?? 0) - start.getTime()) / HOUR_MS).toBeGreaterThan(17);
  });
});
