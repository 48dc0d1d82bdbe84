import type { DomainIssue } from './domains.js';

/** Issues in the examples of webhook events, as `describeIssue` of `@pets/domains` writes them; a test there compares them. */
export const issueExamples = {
  conflictingA: {
    code: 'conflicting_a',
    title: 'conflicting A record',
    area: 'dns',
    severity: 'error',
    blocking: true,
    resolvesAutomatically: false,
    message: 'docs.example.com has A records (203.0.113.7), which conflict with the CNAME.',
    cause: 'docs.example.com has A records where its CNAME should be.',
    remediation: 'Remove the A records and create a CNAME to k3vq7m2xw5tdz4hcy6rb.cname.pets.example.',
    evidence: {
      name: 'docs.example.com',
      expected: 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example',
      servers: ['192.0.2.53:53'],
      seen: ['203.0.113.7'],
    },
  },
  caaForbids: {
    code: 'caa_forbids',
    title: 'blocked by CAA',
    area: 'certificate',
    severity: 'error',
    blocking: true,
    resolvesAutomatically: false,
    message: 'The CAA records at example.com (0 issue "other-ca.example") do not allow our certificate authority.',
    cause: 'The CAA records of example.com do not allow our certificate authority to issue a certificate.',
    remediation: 'Add this record: example.com. CAA 0 issue "letsencrypt.org"',
    evidence: {
      at: 'example.com',
      records: ['0 issue "other-ca.example"'],
      permitting: 'example.com. CAA 0 issue "letsencrypt.org"',
    },
  },
  certificateExpiring: {
    code: 'certificate_expiring',
    title: 'certificate expires soon',
    area: 'certificate',
    severity: 'error',
    blocking: false,
    resolvesAutomatically: false,
    message: 'The certificate of docs.example.com expires at 2027-01-31T09:11:02.000Z and has not been renewed yet.',
    cause: null,
    remediation:
      'Fix the other issues reported for this domain soon: without a new certificate, browsers will refuse to open the site.',
    evidence: {
      name: 'docs.example.com',
      until: '2027-01-31T09:11:02.000Z',
    },
  },
  cnameMismatch: {
    code: 'cname_mismatch',
    title: 'wrong CNAME value',
    area: 'dns',
    severity: 'error',
    blocking: true,
    resolvesAutomatically: false,
    message: 'docs.example.com is a CNAME to another host: other.example.net.',
    cause: 'The CNAME record of docs.example.com points to another host.',
    remediation: 'Change the value of the CNAME record to exactly k3vq7m2xw5tdz4hcy6rb.cname.pets.example.',
    evidence: {
      name: 'docs.example.com',
      seen: 'other.example.net',
      expected: 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example',
      servers: ['192.0.2.53:53'],
    },
  },
  addressRetiring: {
    code: 'address_retiring',
    title: 'address stops working soon',
    area: 'dns',
    severity: 'warning',
    blocking: false,
    resolvesAutomatically: false,
    message: 'docs.example.com shows an address of ours that will stop answering: 198.51.100.7. It still works now.',
    cause: 'docs.example.com has an address of ours that will stop answering. It still works now.',
    remediation:
      'At your DNS provider, remove 198.51.100.7 and create a record of the type CNAME that points to k3vq7m2xw5tdz4hcy6rb.cname.pets.example.',
    evidence: {
      name: 'docs.example.com',
      seen: ['198.51.100.7'],
      expected: 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example',
      record: 'CNAME',
    },
  },
} as const satisfies Readonly<Record<string, DomainIssue>>;
