import { describe, expect, it } from '@jest/globals';
import type { RecordConflict } from '@pets/contracts';
import {
  checked,
  domain,
  in_,
  live,
  matches,
  mismatch,
  outcomeOf,
  unknown,
  verified,
  type Outcome,
} from '../../test/lifecycle-facts.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

/** Compares complete outcomes: due work, issues and history, and no other changes. */

const HOUR = 3_600;
const DAY = 24 * HOUR;
const conflict: RecordConflict = { type: 'A', name: domain.name, value: '203.0.113.1', action: 'remove' };
const wrong = { ...mismatch, conflicts: [conflict] };
const [noRecord] = mismatch.issues;
const lost = describeIssue('dns_lost', { name: domain.name, expected: domain.targetHost });
const longAgo = { requestedAt: in_(-DAY) };
const stopped = { dueAt: null, failuresInARow: 0 };
const proven = { verdict: { kind: 'proven' as const }, host: 'h', token: 't' };
const unproven = { verdict: { kind: 'refuted' as const }, host: 'h', token: 't' };
const missing = describeIssue('ownership_txt_missing', { name: 'h', expected: 't' });
const removed: DomainFacts = { ...live, state: 'removed', removedAt: in_(-HOUR) };
const clicks: Outcome[] = [
  ['a click on verify', live, { type: 'owner.verify' }, { work: { dns: { dueAt: now } } }],
  ...(['owner.removed', 'owner.lost'] as const).map((type): Outcome => [
    `the end by ${type}`,
    { ...live, misconfigured: true },
    { type },
    {
      state: 'removed',
      misconfigured: false,
      startsGeneration: true,
      work: {
        dns: { dueAt: in_(HOUR), failuresInARow: 0 },
        reverify: stopped,
        issuance: stopped,
        probe: stopped,
        renewal_info: stopped,
      },
      issues: { dns: [], certificate: [] },
      conflicts: [],
      history:
        type === 'owner.lost'
          ? 'moved: another organization proved that it owns the name; no longer served here, certificates are revoked'
          : 'removed: no longer served',
      alert: null,
    },
  ]),
];

const firstChecks: Outcome[] = [
  [
    'correct records',
    domain,
    matches,
    {
      state: 'verified',
      startsGeneration: true,
      work: {
        dns: { dueAt: in_(1_800), failuresInARow: 0, unchangedChecks: 0 },
        issuance: { dueAt: now, failuresInARow: 0 },
      },
      issues: { dns: [], certificate: [] },
      conflicts: [],
      history: 'verified: the records point here',
    },
  ],
  [
    'records and a proof that take the name over',
    domain,
    { type: 'dns.checked', dns: { kind: 'matches', by: 'target' }, ownership: proven, isClaimedElsewhere: true },
    {
      state: 'verified',
      startsGeneration: true,
      takesOver: true,
      work: {
        dns: { dueAt: in_(1_800), failuresInARow: 0, unchangedChecks: 0 },
        issuance: { dueAt: now, failuresInARow: 0 },
      },
      issues: { dns: [], certificate: [] },
      conflicts: [],
      history:
        'verified: the records point here, and the proof of ownership moved the name here from another organization',
    },
  ],
  [
    'missing records and a missing proof',
    domain,
    { type: 'dns.checked', dns: wrong, ownership: unproven, isClaimedElsewhere: false },
    {
      work: { dns: { dueAt: in_(2), failuresInARow: 0 } },
      issues: { dns: [noRecord, missing].filter((issue) => issue !== undefined) },
      conflicts: [conflict],
    },
  ],
  [
    'unknown records',
    domain,
    checked(unknown),
    { work: { dns: { dueAt: in_(2), failuresInARow: 0 } }, issues: { dns: unknown.issues }, conflicts: [] },
  ],
];

const laterChecks: Outcome[] = [
  [
    'records that point here again',
    { ...live, misconfigured: true },
    matches,
    {
      misconfigured: false,
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 0, unchangedChecks: 0 } },
      issues: { dns: [] },
      conflicts: [],
      history: 'the records point here again',
    },
  ],
  [
    'records that still point here',
    live,
    matches,
    { work: { dns: { dueAt: in_(HOUR), failuresInARow: 0, unchangedChecks: 0 } }, issues: { dns: [] }, conflicts: [] },
  ],
  [
    'records that are missed for the third time',
    { ...live, failuresInARow: 2 },
    checked(wrong),
    {
      misconfigured: true,
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 3, unchangedChecks: 0 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
      history: 'misconfigured: the records no longer point here',
    },
  ],
  [
    'records that are missed for the third time, in the same way',
    {
      ...live,
      failuresInARow: 2,
      unchangedChecks: 5,
      dnsIssues: [lost, ...wrong.issues],
      conflicts: [conflict],
      ...longAgo,
    },
    checked(wrong),
    {
      misconfigured: true,
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 3, unchangedChecks: 0 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
      history: 'misconfigured: the records no longer point here',
    },
  ],
  [
    'records that are missed once more, in the same way',
    {
      ...live,
      misconfigured: true,
      failuresInARow: 3,
      unchangedChecks: 5,
      dnsIssues: [lost, ...wrong.issues],
      conflicts: [conflict],
      ...longAgo,
    },
    checked(wrong),
    {
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 4, unchangedChecks: 6 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
    },
  ],
  [
    'records that a misconfigured domain misses',
    { ...live, misconfigured: true },
    checked(wrong),
    {
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 1, unchangedChecks: 0 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
    },
  ],
  [
    'records that a verified domain misses for the third time',
    { ...verified, failuresInARow: 2 },
    checked(wrong),
    {
      work: { dns: { dueAt: in_(1_800), failuresInARow: 3, unchangedChecks: 0 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
      history: 'the records no longer point here',
    },
  ],
  [
    'records that are missed for the first time',
    live,
    checked(wrong),
    {
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 1, unchangedChecks: 0 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
      history: 'the records no longer point here',
    },
  ],
  [
    'records that are missed for the second time',
    { ...live, failuresInARow: 1, dnsIssues: [lost, ...wrong.issues], conflicts: [conflict], ...longAgo },
    checked(wrong),
    {
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 2, unchangedChecks: 1 } },
      issues: { dns: [lost, ...wrong.issues] },
      conflicts: [conflict],
      times: { elsewhereSince: now },
    },
  ],
  [
    'records that were missed once and point here again',
    { ...live, failuresInARow: 1, dnsIssues: [lost], elsewhereSince: now },
    matches,
    {
      work: { dns: { dueAt: in_(HOUR), failuresInARow: 0, unchangedChecks: 0 } },
      issues: { dns: [] },
      conflicts: [],
      times: { elsewhereSince: null },
      history: 'the records point here again',
    },
  ],
  ['unknown records', live, checked(unknown), { work: { dns: { dueAt: in_(HOUR), unchangedChecks: 0 } } }],
];

const dangling = describeIssue('dangling_record', { name: domain.name, expected: domain.targetHost });
const afterRemoval: Outcome[] = [
  [
    'a record of a removed domain',
    removed,
    matches,
    {
      work: { dns: { dueAt: in_(DAY), failuresInARow: 0 } },
      issues: { dns: [dangling] },
      history: `${dangling.message} ${dangling.remediation}`,
    },
  ],
  [
    'an unknown record of a removed domain',
    removed,
    checked(unknown),
    { work: { dns: { dueAt: in_(DAY), failuresInARow: 0 } } },
  ],
  [
    'a removed record of a removed domain',
    { ...removed, isDangling: true },
    checked(wrong),
    {
      work: { dns: { dueAt: null } },
      issues: { dns: [] },
      history: 'the DNS record of the removed domain is no longer checked',
    },
  ],
  [
    'an unknown record of a name that belongs to another organization',
    removed,
    { ...checked(unknown), isClaimedElsewhere: true } as DomainTrigger,
    { work: { dns: { dueAt: null } }, issues: { dns: [] } },
  ],
];

describe('the complete outcome of', () => {
  it.each([...clicks, ...firstChecks, ...laterChecks, ...afterRemoval])('%s', (_name, facts, trigger, changes) => {
    expect(transition(facts, trigger, now)).toStrictEqual(outcomeOf(facts, changes));
  });
});
