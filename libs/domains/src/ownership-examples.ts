import type { DomainIssue } from '@pets/contracts';
import { describeIssue } from './issues.js';
import { unprovenIssues } from './lifecycle/evaluate-claim.js';

const host = '_platform-challenge.docs.example.com';

/** Examples of issues about the ownership of a name. */
export const ownershipExamples = {
  ownership_txt_of_others: {
    meaning:
      'A value of another organization is beside the proof of ownership of a name that shows only addresses. For the holder of the name, before it is live and later.',
    issue: describeIssue('ownership_txt_of_others', {
      name: 'docs.example.com',
      host,
      seen: ['w9K2sR7dYb5Qe1Ux4Mf6Gt8CjP3'],
    }),
  },
  ownership_txt_missing: {
    meaning:
      'A TXT record must prove who owns the name, because it shows only addresses, or another organization has or had it. Usual mistakes are explained.',
    issue: unproven(),
  },
  claimed_elsewhere: {
    meaning: 'Another organization has verified the name.',
    issue: describeIssue('claimed_elsewhere', { name: 'docs.example.com' }),
  },
};

function unproven(): DomainIssue {
  const token = 'p4V0nJ2mXq8Tr6Wc1Zy7Hk3LbN0';
  const [issue] = unprovenIssues({ verdict: { kind: 'refuted', seen: [`pets=${token}`] }, host, token });
  if (issue === undefined) throw new Error('the example has no issue');
  return issue;
}
