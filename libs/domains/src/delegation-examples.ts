import type { DnsLookup, DomainIssue } from '@pets/contracts';
import { delegationIssue, evaluateDelegation, requiredDelegationIssues } from './dns/evaluate-delegation.js';
import { findingsOf } from './example-lookups.js';
import { describeIssue } from './issues.js';
import { delegationFor } from './names/required-records.js';

const name = 'docs.example.com';
const delegation = delegationFor(name, '1f0c6c2c9d1e4b7a8d53', 'acme.pets.example');

/** Examples of issues about delegated challenges, and of names that are prepared for a switch. */
export const delegationExamples = {
  delegation_missing: {
    meaning: 'The record without which no certificate is issued for a wildcard is missing or points to another place.',
    issue: requiredIssue(),
  },
  delegation_mismatch: {
    meaning: 'The optional record for a certificate before the switch points to another place.',
    issue: delegationSeen([seen('192.0.2.53:53', 'docs.acme-hosting.example.net')]),
  },
  delegation_shadowed: {
    meaning:
      'A TXT record beside the record that delegates challenges, or a flattened one. No certificate is ordered with DNS-01, which would fail and use up limits of the certificate authority.',
    issue: delegationSeen([
      { ...seen('192.0.2.1:53', delegation.target), isAuthoritative: true },
      {
        ...{ name: delegation.host, type: 'TXT', server: '192.0.2.1:53', isAuthoritative: true },
        answer: { kind: 'found', records: [{ value: 'gfj9Xq3hT0bT5xkq2cOQz0d2vLr7mVn8', ttl: 60 }] },
      },
    ]),
  },
  delegation_propagating: {
    meaning: 'Name servers disagree about the optional record for a certificate before the switch.',
    issue: delegationSeen([seen('192.0.2.53:53', delegation.target), seen('192.0.2.54:53', null)]),
  },
  delegation_lost: {
    meaning: 'The record that the certificate was issued with is gone, and the name does not point here.',
    issue: describeIssue('delegation_lost', {
      name: name,
      host: delegation.host,
      expected: delegation.target,
    }),
  },
  preparation_expired: {
    meaning: 'The name was prepared for a switch long ago and still points elsewhere.',
    issue: describeIssue('preparation_expired', {
      name: name,
      expected: '37d5b67e1c9a4f20b8d3.cname.pets.example',
      since: '2026-08-04T09:10:00.000Z',
    }),
  },
  renewal_stopped: {
    meaning: 'The name was live, has pointed elsewhere for 30 days, and its certificate was issued by DNS-01.',
    issue: describeIssue('renewal_stopped', {
      name: name,
      expected: '37d5b67e1c9a4f20b8d3.cname.pets.example',
      since: '2026-10-03T09:10:00.000Z',
    }),
  },
  challenge_not_published: {
    meaning: 'Our own name server did not take the answer to a challenge, or not all of its secondaries have it.',
    issue: describeIssue('challenge_not_published', {
      error: 'the name server 192.0.2.9:53 did not reply within 5000 ms',
    }),
  },
};

/** The CNAME that a server answered; null for none. */
function seen(server: string, value: string | null): DnsLookup {
  const answer: DnsLookup['answer'] =
    value === null ? { kind: 'absent' } : { kind: 'found', records: [{ value, ttl: 60 }] };
  return { name: delegation.host, type: 'CNAME', server, answer };
}

function requiredIssue(): DomainIssue {
  const verdict = evaluateDelegation(findingsOf([seen('192.0.2.53:53', null)]), delegation);
  const [issue] = requiredDelegationIssues(verdict, delegation, '*.docs.example.com');
  if (issue === undefined) throw new Error('the example has no issue');
  return issue;
}

function delegationSeen(lookups: DnsLookup[]): DomainIssue {
  const verdict = evaluateDelegation(findingsOf(lookups), delegation);
  const issue = delegationIssue(verdict, delegation, name);
  if (issue === null) throw new Error('the example has no issue');
  return issue;
}
