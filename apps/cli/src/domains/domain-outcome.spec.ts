import { describe, expect, it } from '@jest/globals';
import { domainSchema, type Domain, type DomainIssue, type DomainState, type IssueCode } from '@pets/contracts';
import { describeIssue } from '@pets/domains';
import { evaluateDomain, hasResultOf, type Goal } from './domain-outcome.js';

const example = domainSchema.parse(domainSchema.meta()?.['example']);

function domainOf(state: DomainState, issues: readonly DomainIssue[] = [], certificate: Domain['certificate'] = null) {
  return { ...example, state, issues, certificate };
}

const evidence = { name: 'docs.example.com', expected: 'target.example' };
const issue = (code: IssueCode, more: DomainIssue['evidence'] = {}) => describeIssue(code, { ...evidence, ...more });

describe('evaluateDomain', () => {
  it.each<[DomainState, Goal, string]>([
    ['live', 'live', 'done live'],
    ['live', 'verified', 'done live'],
    ['verified', 'verified', 'done verified'],
    ['verified', 'live', 'not_yet awaiting_certificate'],
    ['awaiting_dns', 'live', 'not_yet awaiting_dns'],
    ['removed', 'live', 'refused removed'],
  ])('%s with the goal %s is %s', (state, goal, expected) => {
    const { status, reason } = evaluateDomain(domainOf(state), goal);
    expect(`${status} ${reason}`).toBe(expected);
  });

  it.each<[IssueCode, string]>([
    ['no_record', 'not_yet'],
    ['resolver_failed', 'not_yet'],
    ['ca_rate_limited', 'not_yet'],
    ['certificate_queued', 'not_yet'],
    ['cname_mismatch', 'refused'],
    ['conflicting_a', 'refused'],
    ['claimed_elsewhere', 'refused'],
    ['challenge_not_published', 'not_yet'],
    ['caa_forbids', 'refused'],
  ])('the issue %s makes it %s', (code, status) => {
    expect(evaluateDomain(domainOf('awaiting_dns', [issue(code)]), 'live')).toEqual({ status, reason: code });
  });

  it.each<[string, Domain['readiness'], IssueCode, string]>([
    ['waits for the delegation', { state: 'waiting', message: '' }, 'conflicting_a', 'not_yet waiting'],
    ['waits for the certificate', { state: 'preparing', message: '' }, 'cname_mismatch', 'not_yet preparing'],
    ['names what delays it', { state: 'waiting', message: '' }, 'delegation_mismatch', 'not_yet delegation_mismatch'],
    ['names an error of the zone', { state: 'waiting', message: '' }, 'dnssec_broken', 'not_yet dnssec_broken'],
    ['names what delays the order', { state: 'preparing', message: '' }, 'ca_unavailable', 'not_yet ca_unavailable'],
    ['is reached', { state: 'ready', message: '' }, 'conflicting_a', 'done ready'],
    ['cannot be reached without a zone for challenges', null, 'no_record', 'refused delegation_not_offered'],
  ])('the goal ready %s', (_title, readiness, code, expected) => {
    const { status, reason } = evaluateDomain({ ...domainOf('awaiting_dns', [issue(code)]), readiness }, 'ready');
    expect(`${status} ${reason}`).toBe(expected);
  });

  it('waits for a missing ownership record, not for one with another value', () => {
    const missing = issue('ownership_txt_missing');
    expect(evaluateDomain(domainOf('awaiting_dns', [missing]), 'live').status).toBe('not_yet');
    const other = issue('ownership_txt_missing', { seen: ['another'] });
    expect(evaluateDomain(domainOf('awaiting_dns', [other]), 'live').status).toBe('refused');
  });

  it('reports a blocking issue before a transient one', () => {
    const both = [issue('propagating'), issue('conflicting_a')];
    expect(evaluateDomain(domainOf('awaiting_dns', both), 'live')).toEqual({
      status: 'refused',
      reason: 'conflicting_a',
    });
  });

  it('waits for the certificate in spite of a harmless warning', () => {
    const warned = domainOf('verified', [issue('apex_cname_to_us')]);
    expect(evaluateDomain(warned, 'live')).toEqual({ status: 'not_yet', reason: 'awaiting_certificate' });
  });

  it('refuses for a hidden delegation only where a certificate needs it', () => {
    const evaluate = (name: string) =>
      evaluateDomain(domainOf('awaiting_dns', [issue('delegation_shadowed', { name })]), 'live');
    expect(evaluate('*.example.com')).toEqual({ status: 'refused', reason: 'delegation_shadowed' });
    expect(evaluate('docs.example.com')).toEqual({ status: 'not_yet', reason: 'awaiting_dns' });
  });

  it('waits for records that are lost, and may return', () => {
    const warned = domainOf('verified', [issue('dns_lost')]);
    expect(evaluateDomain(warned, 'live')).toEqual({ status: 'not_yet', reason: 'dns_lost' });
  });
});

describe('hasResultOf', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 1, 12, 0, seconds)).toISOString();
  const checked = (checkedAt: string | null, nextCheckAt: string | null, state: DomainState = 'awaiting_dns') => ({
    ...domainOf(state),
    dns: { ...example.dns, checkedAt, nextCheckAt },
  });
  const requested = checked(at(0), at(5));

  it.each<[string, Domain, boolean]>([
    ['nothing has happened', checked(at(0), at(5)), false],
    ['a check that had begun before has ended', checked(at(6), at(5)), false],
    ['the requested check has ended', checked(at(7), at(9)), true],
    ['no check follows', checked(at(7), null), true],
    ['the state has changed', checked(at(6), at(5), 'verified'), true],
  ])('%s', (_name, domain, has) => expect(hasResultOf(requested, domain)).toBe(has));

  it('the first check has ended', () => {
    expect(hasResultOf(checked(null, null), checked(at(1), at(3)))).toBe(true);
  });
});
