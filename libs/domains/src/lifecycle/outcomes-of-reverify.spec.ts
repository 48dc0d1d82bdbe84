import { describe, expect, it } from '@jest/globals';
import type { RecordConflict } from '@pets/contracts';
import { domain, in_, mismatch, outcomeOf, unknown, verified, type Outcome } from '../../test/lifecycle-facts.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

/** Outcomes of owners' requests to verify again, as in outcomes.spec.ts. */

const HOUR = 3_600;
const conflict: RecordConflict = { type: 'A', name: domain.name, value: '203.0.113.1', action: 'remove' };
const wrong = { ...mismatch, conflicts: [conflict] };
const lost = describeIssue('dns_lost', { name: domain.name, expected: domain.targetHost });
const fiveOrders = [5, 4, 3, 2, 1].map((hours) => in_(-hours * HOUR));
const reverified = (dns: typeof wrong | typeof unknown | { kind: 'matches'; by: 'target' }): DomainTrigger => ({
  type: 'domain.reverified',
  dns,
  caa: { kind: 'permits' },
});

const outcomes: Outcome[] = [
  [
    'a click on re-verify',
    verified,
    { type: 'owner.reverify' },
    {
      startsGeneration: true,
      work: { reverify: { dueAt: now }, issuance: { dueAt: null } },
      history: 're-verify: DNS and CAA are checked again, then a new certificate is requested',
    },
  ],
  [
    'a click on re-verify while a CA has an order',
    verified,
    { type: 'owner.reverify', hasOpenOrder: true },
    {
      startsGeneration: true,
      work: { issuance: { dueAt: now } },
      history: 're-verify: the certificate authority is asked for the certificate that was requested',
    },
  ],
  [
    'a re-verify without records',
    verified,
    reverified(wrong),
    { work: { reverify: { dueAt: in_(2) } }, issues: { dns: wrong.issues }, conflicts: [conflict] },
  ],
  [
    'a re-verify with unknown records',
    verified,
    reverified(unknown),
    { work: { reverify: { dueAt: in_(2) } }, issues: { dns: unknown.issues }, conflicts: [] },
  ],
  [
    'a re-verify with correct records',
    verified,
    reverified({ kind: 'matches', by: 'target' }),
    {
      work: { reverify: { dueAt: null }, issuance: { dueAt: now } },
      issues: { dns: [], certificate: [] },
      conflicts: [],
      history: 're-verified: a new certificate is requested',
    },
  ],
  [
    'a re-verify with correct records and a note',
    verified,
    {
      ...reverified({ kind: 'matches', by: 'target' }),
      dns: { kind: 'matches', by: 'target', notes: [lost] },
    } as DomainTrigger,
    {
      work: { reverify: { dueAt: null }, issuance: { dueAt: now } },
      issues: { dns: [lost], certificate: [] },
      conflicts: [],
      history: 're-verified: a new certificate is requested',
    },
  ],
  [
    'a re-verify that CAA forbids',
    verified,
    {
      ...reverified({ kind: 'matches', by: 'target' }),
      caa: { kind: 'forbids', at: 'example.com', records: [], permitting: 'x' },
    } as DomainTrigger,
    {
      work: { reverify: { dueAt: in_(2) } },
      issues: { dns: [], certificate: [expect.objectContaining({ code: 'caa_forbids' })] as never },
    },
  ],
  [
    'a re-verify after five orders',
    { ...verified, ordersAt: fiveOrders },
    reverified({ kind: 'matches', by: 'target' }),
    {
      work: { reverify: { dueAt: null }, issuance: { dueAt: in_(19 * HOUR) } },
      issues: { dns: [], certificate: [] },
      conflicts: [],
      history:
        're-verified: a new certificate is requested at 2026-01-01T19:00:00.000Z, when the limit on requests allows it',
    },
  ],
  [
    'a re-verify after five orders, the first of them more than a day ago',
    { ...verified, ordersAt: [in_(-30 * HOUR), ...fiveOrders.slice(1)] },
    reverified({ kind: 'matches', by: 'target' }),
    {
      work: { reverify: { dueAt: null }, issuance: { dueAt: now } },
      issues: { dns: [], certificate: [] },
      conflicts: [],
      history: 're-verified: a new certificate is requested',
    },
  ],
];

describe('the complete outcome of', () => {
  it.each(outcomes)('%s', (_name, facts, trigger, changes) => {
    expect(transition(facts, trigger, now)).toStrictEqual(outcomeOf(facts, changes));
  });
});
