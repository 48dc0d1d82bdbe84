import { subdomain } from './names.example.js';
import { nameText, text, type IssueEntries } from './issue-entry.js';

/** Issues of the plan, and of suspensions. */
export const planIssues = {
  plan_ended: {
    severity: 'warning',
    area: 'plan',
    blocking: false,
    resolvesAutomatically: false,
    title: 'plan ended',
    meaning: 'The plan changed to one without custom domains. We serve the domain until the grace period ends.',
    message: (e) =>
      `The plan of the organization no longer includes custom domains: ${nameText(e.name)} will be suspended on ${text(e.until)}, ` +
      'and visitors will then get 410.',
    remediation: () => 'Upgrade the plan of the organization before then, or remove the domain.',
    example: { name: subdomain, until: '2026-11-16T09:30:00.000Z' },
  },
  suspended: {
    severity: 'error',
    area: 'suspension',
    blocking: true,
    resolvesAutomatically: false,
    title: 'suspended',
    meaning:
      'The operator suspended the domain, its project or its organization, or the plan no longer includes the domain.',
    message: (e) =>
      `${nameText(e.name)} has been suspended since ${text(e.since)}: ${text(e.reason)}. Visitors get 410.`,
    remediation: (e) =>
      e.cause === 'plan'
        ? 'Upgrade the plan of the organization. The domain is then served again immediately.'
        : 'Contact the operator of the platform.',
    example: {
      name: subdomain,
      scope: 'domain',
      cause: 'operator',
      reason: 'phishing reports',
      since: '2026-11-02T09:30:00.000Z',
    },
  },
} satisfies IssueEntries;
