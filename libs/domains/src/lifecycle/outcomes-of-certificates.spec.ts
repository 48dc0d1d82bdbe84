import { describe, expect, it } from '@jest/globals';
import {
  checked,
  failed,
  in_,
  live,
  matches,
  mismatch,
  outcomeOf,
  verified,
  type Outcome,
} from '../../test/lifecycle-facts.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

/** Outcomes of attempts, renewal information and probes of the edges, as in outcomes.spec.ts. */

const HOUR = 3_600;
const DAY = 24 * HOUR;
const refused = describeIssue('ca_refused', { detail: 'no' });
const before = describeIssue('caa_forbids', { at: 'example.com' });
const notServed = describeIssue('not_served_yet', { seen: ['e1: the old one'] });
const rateLimited = describeIssue('ca_rate_limited', { detail: 'slow down', until: 'later' });
const pending = describeIssue('certificate_pending', { authority: 'ca.example', since: now.toISOString() });
const stopped = { dueAt: null, failuresInARow: 0 };
const renewalInfo = (more: Partial<Extract<DomainTrigger, { type: 'renewal_info.fetched' }>>): DomainTrigger => ({
  type: 'renewal_info.fetched',
  window: null,
  explanationUrl: null,
  retryAt: null,
  hasFailed: false,
  ...more,
});
const certificates: Outcome[] = [
  [
    'a first certificate',
    { ...verified, certificateIssues: [refused] },
    { type: 'certificate.issued', renewAt: in_(60 * DAY) },
    {
      work: {
        issuance: { dueAt: in_(60 * DAY), failuresInARow: 0 },
        probe: { dueAt: now, failuresInARow: 0 },
        renewal_info: { dueAt: in_(60), failuresInARow: 0 },
      },
      issues: { certificate: [] },
      history: 'certificate issued',
      alert: null,
    },
  ],
  [
    'a first certificate while a DNS check is due',
    { ...verified, dnsDueAt: now },
    { type: 'certificate.issued', renewAt: in_(60 * DAY) },
    {
      work: {
        issuance: { dueAt: in_(60 * DAY), failuresInARow: 0 },
        probe: { dueAt: now, failuresInARow: 0 },
        renewal_info: { dueAt: in_(60), failuresInARow: 0 },
      },
      issues: { certificate: [] },
      history: 'certificate issued',
      alert: null,
    },
  ],
  [
    'a renewed certificate',
    { ...live, dnsDueAt: in_(HOUR) },
    { type: 'certificate.issued', renewAt: in_(60 * DAY) },
    {
      work: {
        issuance: { dueAt: in_(60 * DAY), failuresInARow: 0 },
        probe: { dueAt: now, failuresInARow: 0 },
        renewal_info: { dueAt: in_(60), failuresInARow: 0 },
      },
      issues: { certificate: [] },
      history: 'certificate renewed',
      alert: null,
    },
  ],
  [
    'a failed attempt',
    verified,
    failed('passing', false),
    {
      work: { issuance: { dueAt: in_(60), failuresInARow: 1 } },
      issues: { certificate: [refused] },
      history: `certificate attempt failed: ${refused.message}`,
    },
  ],
  [
    'a failed attempt after another one, while an edge serves an old certificate',
    { ...verified, failuresInARow: 1, certificateIssues: [before, notServed] },
    failed('passing', false),
    {
      work: { issuance: { dueAt: in_(600), failuresInARow: 2 } },
      issues: { certificate: [refused, notServed] },
      history: `certificate attempt failed: ${refused.message}`,
    },
  ],
  [
    'a postponed attempt, while an edge serves an old certificate',
    { ...verified, certificateIssues: [before, notServed] },
    { type: 'issuance.postponed', until: in_(HOUR), issue: refused },
    { work: { issuance: { dueAt: in_(HOUR) } }, issues: { certificate: [refused, notServed] } },
  ],
  [
    'a first certificate while no DNS check is due',
    { ...verified, dnsDueAt: in_(60) },
    { type: 'certificate.issued', renewAt: in_(60 * DAY) },
    {
      work: {
        issuance: { dueAt: in_(60 * DAY), failuresInARow: 0 },
        probe: { dueAt: now, failuresInARow: 0 },
        renewal_info: { dueAt: in_(60), failuresInARow: 0 },
        dns: { dueAt: in_(HOUR) },
      },
      issues: { certificate: [] },
      history: 'certificate issued',
      alert: null,
    },
  ],
  [
    'a renewal that the preflight refused, after the records were lost',
    { ...live, dnsIssues: [rateLimited, describeIssue('dns_lost', { name: live.name })], unchangedChecks: 24 },
    failed('user', true),
    { work: { issuance: { dueAt: in_(6 * HOUR) } }, issues: { certificate: [refused] } },
  ],
  [
    'a renewal that the preflight refused, with another problem of the records',
    { ...live, dnsIssues: [before], unchangedChecks: 24 },
    failed('user', true),
    { work: { issuance: { dueAt: in_(HOUR) }, dns: { dueAt: now } }, issues: { certificate: [refused] } },
  ],
  [
    'an order that the CA goes on to work on, while an edge serves an old certificate',
    { ...verified, certificateIssues: [pending, notServed] },
    { type: 'certificate.pending', nextReadAt: in_(HOUR), issue: pending },
    { work: { issuance: { dueAt: in_(HOUR) } }, issues: { certificate: [pending, notServed] } },
  ],
  [
    'an order that waits for its registered domain, while an edge serves an old certificate',
    { ...verified, certificateIssues: [before, notServed] },
    { type: 'issuance.parked', until: in_(HOUR), issue: rateLimited },
    { work: { issuance: { dueAt: null } }, issues: { certificate: [rateLimited, notServed] } },
  ],
  [
    'an order that waits in the queue of its CA again',
    { ...verified, certificateIssues: [before] },
    { type: 'issuance.queued' },
    { work: { issuance: { dueAt: null } } },
  ],
  [
    'an order that waits in the queue of its CA',
    { ...verified, certificateIssues: [rateLimited, before] },
    { type: 'issuance.queued' },
    { work: { issuance: { dueAt: null } }, issues: { certificate: [before] } },
  ],
  [
    'a failed attempt that another CA follows',
    verified,
    { ...failed('passing', false), hasOtherCa: true } as DomainTrigger,
    {
      work: { issuance: { dueAt: in_(1) } },
      issues: { certificate: [refused] },
      history: `certificate attempt failed: ${refused.message} Trying another certificate authority.`,
    },
  ],
  [
    'a failed attempt without issues',
    verified,
    { ...failed('passing', false), failure: { class: 'passing', issues: [], retryAt: null } } as DomainTrigger,
    {
      work: { issuance: { dueAt: in_(60), failuresInARow: 1 } },
      issues: { certificate: [] },
      history: 'certificate attempt failed: passing',
    },
  ],
  [
    'an attempt that the preflight refused',
    verified,
    failed('user', true),
    { work: { issuance: { dueAt: in_(2) } }, issues: { certificate: [refused] } },
  ],
  [
    'an edge that does not serve the certificate',
    verified,
    { type: 'certificate.not_served', seen: ['e1: refused'] },
    {
      work: { probe: { dueAt: in_(1), failuresInARow: 1 } },
      issues: { certificate: [describeIssue('not_served_yet', { seen: ['e1: refused'] })] },
    },
  ],
  [
    'edges that all serve the certificate',
    verified,
    { type: 'certificate.served' },
    {
      state: 'live',
      work: { probe: stopped },
      issues: { certificate: [] },
      history: 'live: the edges serve the certificate',
    },
  ],
  [
    'edges that serve a renewed certificate',
    live,
    { type: 'certificate.served' },
    { work: { probe: stopped }, issues: { certificate: [] } },
  ],
  ['a CA without renewal information', live, renewalInfo({}), { work: { renewal_info: stopped } }],
  [
    'a failed request for renewal information',
    { ...live, failuresInARow: 3 },
    renewalInfo({ hasFailed: true }),
    { work: { renewal_info: { dueAt: in_(1.25 * HOUR), failuresInARow: 4 } } },
  ],
  ['renewal information without a certificate', verified, renewalInfo({}), { work: { renewal_info: { dueAt: null } } }],
  [
    'a window while no renewal is planned',
    live,
    renewalInfo({ window: { start: now, end: now } }),
    { work: { renewal_info: { dueAt: in_(12 * HOUR), failuresInARow: 0 } } },
  ],
];

describe('the complete outcome of', () => {
  it.each(certificates)('%s', (_name, facts, trigger, changes) => {
    expect(transition(facts, trigger, now)).toStrictEqual(outcomeOf(facts, changes));
  });
});

describe('the alert of an outcome', () => {
  const overdue: DomainFacts = { ...verified, generationBeganAt: in_(-HOUR) };
  const strange = describeIssue('conflicting_a', { name: live.name });
  const halfway: DomainFacts = { ...live, certificate: { notBefore: in_(-50 * DAY), notAfter: in_(40 * DAY) } };

  it.each<[string, DomainFacts, DomainTrigger, string | undefined]>([
    ['is reported by any click', overdue, { type: 'owner.verify' }, 'overdue'],
    ['is none once there is a certificate', overdue, { type: 'certificate.issued', renewAt: in_(60 * DAY) }, undefined],
    ['is not that of the previous generation', overdue, { type: 'owner.reverify' }, undefined],
    ['considers the new DNS issues', halfway, checked({ ...mismatch, issues: [strange] }), 'at_risk'],
    ['ignores the previous DNS issues after a check', { ...halfway, dnsIssues: [strange] }, matches, undefined],
    [
      'considers the stored DNS issues without a check',
      { ...halfway, dnsIssues: [strange] },
      { type: 'owner.verify' },
      'at_risk',
    ],
    [
      'considers the stored issues of the certificate',
      { ...halfway, certificateIssues: [refused] },
      matches,
      'at_risk',
    ],
  ])('%s', (_name, facts, trigger, level) => {
    expect(transition(facts, trigger, now)?.alert?.level).toBe(level);
  });
});
