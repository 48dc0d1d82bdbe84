import { describe, expect, it } from '@jest/globals';
import type { DomainIssue, IssueCode } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import type { DomainTrigger, Transition } from './domain-trigger.js';
import { webhookEventTypesOf, type PublishedChange } from './webhook-event-types.js';

const issue = (code: IssueCode): DomainIssue => describeIssue(code, { name: 'docs.example.com', expected: 'x' });

const before: PublishedChange['domain'] = {
  state: 'awaiting_dns',
  misconfigured: false,
  dnsIssues: [],
  certificateIssues: [],
};
const outcome: Transition = {
  state: 'awaiting_dns',
  misconfigured: false,
  startsGeneration: false,
  takesOver: false,
  work: {},
  issues: {},
  times: {},
  history: null,
};
const served: DomainTrigger = { type: 'certificate.served' };
const issued: DomainTrigger = { type: 'certificate.issued', renewAt: new Date(0) };
const failed = (isPreflightFailure: boolean): DomainTrigger => ({
  type: 'certificate.failed',
  failure: { class: 'passing', issues: [], retryAt: null },
  isPreflightFailure,
  hasOtherCa: false,
});

interface Change {
  readonly was?: Partial<PublishedChange['domain']>;
  readonly is?: Partial<Transition>;
  readonly by?: DomainTrigger;
  readonly hadCertificate?: boolean;
}

const typesOf = ({ was, is, by = served, hadCertificate = false }: Change) => {
  const domain = { ...before, ...was };
  const stayed = { state: domain.state, misconfigured: domain.misconfigured };
  return webhookEventTypesOf({ domain, trigger: by, outcome: { ...outcome, ...stayed, ...is }, hadCertificate });
};

describe('endpoints are notified', () => {
  it.each<[string, Change, readonly string[]]>([
    ['of no check that finds the known state', { is: { issues: { dns: [] } } }, []],
    ['of verification', { is: { state: 'verified' } }, ['domain.verified']],
    ['of the first certificate', { was: { state: 'verified' }, by: issued }, ['domain.certificate.issued']],
    ['of a renewal', { was: { state: 'live' }, by: issued, hadCertificate: true }, ['domain.certificate.renewed']],
    ['of the proof', { was: { state: 'verified' }, is: { state: 'live' } }, ['domain.live']],
    ['of a certificate before the switch', { by: issued }, ['domain.certificate.issued']],
    ['of no certificate after the removal', { was: { state: 'removed' }, by: issued, is: { state: 'removed' } }, []],
    ['of no failure after the removal', { was: { state: 'removed' }, by: failed(false), is: { state: 'removed' } }, []],
    ['that the DNS can be switched', { is: { times: { readyAt: new Date(0) } } }, ['domain.ready']],
    ['of lost records', { was: { state: 'live' }, is: { misconfigured: true } }, ['domain.misconfigured']],
    ['of lost records once', { was: { state: 'live', misconfigured: true }, is: { misconfigured: true } }, []],
    [
      'of records that are back',
      { was: { state: 'live', misconfigured: true }, is: { misconfigured: false } },
      ['domain.recovered'],
    ],
    [
      'of records that are back, and of issues that are gone',
      {
        was: { state: 'live', misconfigured: true, dnsIssues: [issue('cname_mismatch')] },
        is: { misconfigured: false, issues: { dns: [] } },
      },
      ['domain.recovered', 'domain.issues_resolved'],
    ],
    [
      'of removal only, whatever it ends',
      {
        was: { state: 'live', misconfigured: true, dnsIssues: [issue('cname_mismatch')] },
        is: { state: 'removed', misconfigured: false, issues: { dns: [], certificate: [] } },
      },
      ['domain.removed'],
    ],
    [
      'of verification, and of issues that are gone',
      { was: { dnsIssues: [issue('conflicting_a')] }, is: { state: 'verified', issues: { dns: [] } } },
      ['domain.verified', 'domain.issues_resolved'],
    ],
    ...(['overdue', 'expired'] as const).map((level): [string, Change, readonly string[]] => [
      `of a certificate that is ${level}`,
      { was: { state: 'verified' }, is: { alert: { level, type: 'x', detail: 'x' } } },
      ['domain.issues_found'],
    ]),
    [
      'of a certificate that expires soon, with its own event',
      { was: { state: 'live' }, is: { alert: { level: 'expiring', type: 'x', detail: 'x' } } },
      ['domain.certificate.expiring'],
    ],
    [
      'nothing of a renewal at risk, which blocks nothing',
      { was: { state: 'live' }, is: { alert: { level: 'at_risk', type: 'x', detail: 'x' } } },
      [],
    ],
    ...(['removed', 'expired'] as const).map((reason): [string, Change, readonly string[]] => [
      `of the automatic certificate in the place of an upload that is ${reason}`,
      { was: { state: 'live' }, by: { type: 'own_certificate.ended', detail: 'x', reason } },
      ['domain.certificate.renewed'],
    ]),
    [
      'of another choice between the certificates',
      { was: { state: 'live' }, by: { type: 'own_certificate.preferred', detail: 'x' } },
      ['domain.certificate.renewed'],
    ],
    ['of removal, from any state', { was: { state: 'live' }, is: { state: 'removed' } }, ['domain.removed']],
    [
      'nothing of looks after removal',
      { was: { state: 'removed' }, is: { issues: { dns: [issue('dangling_record')] } } },
      [],
    ],
    ['of a refusal by a CA', { was: { state: 'verified' }, by: failed(false) }, ['domain.certificate.failed']],
  ])('%s', (_name, change, types) => expect(typesOf(change)).toEqual(types));

  it.each<[string, readonly IssueCode[], readonly IssueCode[], boolean]>([
    ['of a first failing diagnosis', [], ['cname_mismatch'], true],
    ['of another one', ['cname_mismatch'], ['conflicting_a'], true],
    ['nothing of the same again', ['cname_mismatch'], ['cname_mismatch'], false],
    [
      'nothing of the same in another order',
      ['conflicting_a', 'proxied_by_cdn'],
      ['proxied_by_cdn', 'conflicting_a'],
      false,
    ],
    ['nothing while there is no record', [], ['no_record'], false],
    ['of nothing while DNS cannot be queried', [], ['resolver_failed'], false],
    ['nothing of a remark that stops nothing', [], ['apex_cname_to_us'], false],
    ['nothing while a change is on its way', [], ['propagating'], false],
    ['nothing of an optional record that is gone', [], ['delegation_lost'], false],
    ['nothing of a note beside the same issue', ['dns_lost'], ['dns_lost', 'flattened'], false],
    ['of a failing diagnosis beside one of waiting', ['propagating'], ['propagating', 'cname_mismatch'], true],
    ['of a warning beside', ['cname_mismatch'], ['cname_mismatch', 'dns_lost'], true],
  ])('%s', (_name, was, found, isTold) => {
    const dns = found.map(issue);
    const types = isTold ? ['domain.verification_failed'] : [];
    expect(typesOf({ was: { dnsIssues: was.map(issue) }, is: { issues: { dns } } })).toEqual(types);
    expect(typesOf({ was: { state: 'verified', dnsIssues: was.map(issue) }, is: { issues: { dns } } })).toEqual(types);
    expect(typesOf({ was: { state: 'live', dnsIssues: was.map(issue) }, is: { issues: { dns } } })).toEqual(
      isTold ? ['domain.issues_found'] : [],
    );
  });

  it.each<[string, readonly IssueCode[], readonly IssueCode[]]>([
    ['that all issues are gone', ['cname_mismatch'], []],
    ['that one is gone', ['cname_mismatch', 'claimed_elsewhere'], ['claimed_elsewhere']],
    ['that the record is gone, which is no failure', ['cname_mismatch'], ['no_record']],
  ])('%s', (_name, was, found) => {
    const is = { issues: { dns: found.map(issue) } };
    for (const state of ['awaiting_dns', 'verified', 'live'] as const)
      expect(typesOf({ was: { state, dnsIssues: was.map(issue) }, is })).toEqual(['domain.issues_resolved']);
  });

  it('of each retiring address once, and of the end', () => {
    const shown = (...seen: string[]) => [describeIssue('address_retiring', { name: 'example.com', seen })];
    const typesAfter = (was: DomainIssue[], dns: DomainIssue[]) =>
      (['awaiting_dns', 'verified', 'live'] as const).map((state) =>
        typesOf({ was: { state, dnsIssues: was }, is: { issues: { dns } } }).join(),
      );
    const all = (type: string) => [type, type, type];
    expect(typesAfter([], shown('192.0.2.1'))).toEqual(all('domain.address_retiring'));
    expect(typesAfter(shown('192.0.2.1'), shown('192.0.2.1'))).toEqual(all(''));
    expect(typesAfter(shown('192.0.2.1'), shown('192.0.2.1', '192.0.2.2'))).toEqual(all('domain.address_retiring'));
    expect(typesAfter(shown('192.0.2.1', '192.0.2.2'), shown('192.0.2.2'))).toEqual(all(''));
    expect(typesAfter(shown('192.0.2.1'), [])).toEqual(all('domain.issues_resolved'));
    expect(typesAfter([issue('cname_mismatch')], shown('192.0.2.1'))).toEqual(all('domain.address_retiring'));
  });

  it('of issues of the certificate, whatever found or ended them', () => {
    const certificate = [issue('caa_forbids')];
    const by: DomainTrigger = {
      type: 'domain.reverified',
      dns: { kind: 'matches', by: 'target' },
      caa: { kind: 'permits' },
    };
    const was = { state: 'verified' } as const;
    expect(typesOf({ was, by, is: { issues: { certificate } } })).toEqual(['domain.issues_found']);
    const known = { ...was, certificateIssues: certificate };
    expect(typesOf({ was: known, by, is: { issues: { certificate: [] } } })).toEqual(['domain.issues_resolved']);
    expect(typesOf({ was: known, by: issued, is: { issues: { certificate: [] } } })).toEqual([
      'domain.certificate.issued',
      'domain.issues_resolved',
    ]);
  });

  it('of each finding of the preflight once', () => {
    const certificate = [issue('caa_forbids')];
    const by = failed(true);
    const was = { state: 'verified' } as const;
    expect(typesOf({ was, by, is: { issues: { certificate } } })).toEqual(['domain.certificate.failed']);
    const known = { ...was, certificateIssues: certificate };
    expect(typesOf({ was: known, by, is: { issues: { certificate } } })).toEqual([]);
    expect(typesOf({ was: known, by: failed(false), is: { issues: { certificate } } })).toHaveLength(1);
  });
});
