import type { WebhookEventType } from '../enums.js';
import { domainExample } from './domains.example.js';
import type { DomainIssue } from './domains.js';
import { originExample } from './origins.example.js';

/** Issues in the examples of webhook events, as `describeIssue` of `@pets/domains` writes them; a test there compares them. */
const issueExamples = {
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

/** An event that endpoints can subscribe to. */
export interface WebhookEventDescription {
  /** Completes "it is sent when …". */
  readonly when: string;
  /** The schema of `data`, as the OpenAPI document names it. */
  readonly resource: 'Domain' | 'Origin' | 'Pet' | 'Order';
  /** `data`, as the API sends it. */
  readonly example: object;
}

const certificate = {
  state: 'issued',
  method: 'http-01',
  issuer: "C=US, O=Let's Encrypt, CN=E7",
  notBefore: '2026-11-02T09:11:02.000Z',
  notAfter: '2027-01-31T09:11:02.000Z',
  renewAt: '2027-01-01T09:11:02.000Z',
  attempts: 1,
  nextAttemptAt: null,
  rateLimitedUntil: null,
};

const pointsHere = {
  ...domainExample.dns,
  observed: [
    {
      type: 'CNAME',
      name: domainExample.name,
      value: domainExample.records[0]?.value,
      ttl: 300,
      resolver: '192.0.2.53:53',
    },
  ],
};

const verifiedAt = '2026-11-02T09:10:58.000Z';
const verified = { ...domainExample, state: 'verified', verifiedAt, dns: pointsHere, issues: [] };
const live = { ...verified, state: 'live', liveAt: '2026-11-02T09:11:04.512Z', certificate };

const suspension = {
  scope: 'domain',
  cause: 'operator',
  reason: 'phishing reports',
  since: '2026-11-04T12:00:00.000Z',
  renewsUntil: null,
};

const openTest = {
  ...{ startedAt: '2026-11-02T09:05:00.000Z', finishedAt: null, passed: null },
  ...{ status: null, failure: null, address: null, durationMs: null },
};
const restoredOrigin = {
  ...originExample,
  health: { state: 'reachable', since: '2026-11-05T14:20:00.000Z', failure: null },
};

// Written here, since the dashboard loads this file, and the schemas would bring zod.
const pet = { id: 10, name: 'Rex', categoryId: 1, status: 'available' };
const order = { id: 3, petId: 10, quantity: 1, status: 'placed', createdAt: '2026-11-02T09:30:00.000Z' };

/** Every event with an example of its payload. The shapes are those of the API, which a test checks. */
export const webhookEventCatalog: Readonly<Record<WebhookEventType, WebhookEventDescription>> = {
  'domain.added': { when: 'it was added to a project', resource: 'Domain', example: { ...domainExample, issues: [] } },
  'domain.verified': { when: 'its records point here', resource: 'Domain', example: verified },
  'domain.ready': {
    when: 'the certificate was issued while the name still points elsewhere: its DNS record can be switched without an interruption',
    resource: 'Domain',
    example: { ...domainExample, certificate },
  },
  'domain.verification_failed': {
    when: 'a DNS check found an issue that the check before had not found; `issues` has it and its fix',
    resource: 'Domain',
    example: { ...domainExample, issues: [issueExamples.conflictingA] },
  },
  'domain.certificate.issued': {
    when: 'its first certificate was issued, or uploaded',
    resource: 'Domain',
    example: { ...verified, certificate },
  },
  'domain.certificate.renewed': {
    when: 'another certificate replaced the previous one: a new one, an uploaded one, or the automatic one after the uploaded one has ended or by your choice',
    resource: 'Domain',
    example: live,
  },
  'domain.certificate.failed': {
    when: 'a CA refused, or our checks before an order found a new issue; `issues` has it. Also: the uploaded certificate is revoked',
    resource: 'Domain',
    example: { ...verified, issues: [issueExamples.caaForbids] },
  },
  'domain.certificate.expiring': {
    when: 'a tenth of the lifetime of the certificate is left; `issues` has it',
    resource: 'Domain',
    example: { ...live, issues: [issueExamples.certificateExpiring] },
  },
  'domain.live': { when: 'the edges serve it', resource: 'Domain', example: live },
  'domain.misconfigured': {
    when: 'it is live, but its records no longer point here',
    resource: 'Domain',
    example: { ...live, misconfigured: true },
  },
  'domain.recovered': {
    when: 'its records point here again after `domain.misconfigured`',
    resource: 'Domain',
    example: live,
  },
  'domain.issues_found': {
    when: 'a check found an issue that no other event reports, such as one of a live domain, or its certificate is overdue or has expired',
    resource: 'Domain',
    example: { ...live, issues: [issueExamples.cnameMismatch] },
  },
  'domain.issues_resolved': {
    when: 'an issue that an event reported is gone, such as after `domain.verification_failed` or `domain.certificate.failed`; `issues` has those that are left',
    resource: 'Domain',
    example: { ...domainExample, issues: [] },
  },
  'domain.address_retiring': {
    when: 'it shows an address of ours that we give up; `issues` has it and the records to have instead, and visitors still reach us',
    resource: 'Domain',
    example: { ...live, issues: [issueExamples.addressRetiring] },
  },
  'domain.suspended': {
    when: 'visitors get 410 from now on; `suspensions` has the reason',
    resource: 'Domain',
    example: { ...live, suspensions: [suspension] },
  },
  'domain.resumed': { when: 'it is no longer suspended', resource: 'Domain', example: live },
  'domain.moved': {
    when: 'it was moved to another project; endpoints of both projects receive it',
    resource: 'Domain',
    example: { ...live, projectId: '5e2f7d1c-8a9b-4c3d-a1e0-6f5b4c3d2e1f' },
  },
  'domain.removed': {
    when: 'it was removed, or another organization has proven that it owns the name',
    resource: 'Domain',
    example: { ...live, state: 'removed', removedAt: '2026-12-01T08:00:00.000Z', records: [] },
  },
  'origin.changed': {
    when: 'the application of a project or a domain was set or changed; `test` is open until an edge has tested it',
    resource: 'Origin',
    example: { ...originExample, state: 'testing', test: openTest, health: null },
  },
  'origin.tested': {
    when: 'an edge has tested it; a test that has not passed may still pass at another edge',
    resource: 'Origin',
    example: originExample,
  },
  'origin.failing': {
    when: 'most edges have not been able to connect to it for 30 seconds; `health.failure` has the reason',
    resource: 'Origin',
    example: {
      ...originExample,
      health: {
        state: 'failing',
        since: '2026-11-05T14:02:10.000Z',
        failure: { code: 'connection', detail: 'no connection to app.example.net:443: ECONNREFUSED' },
      },
    },
  },
  'origin.restored': {
    when: 'most edges have been able to connect to it for 30 seconds, after `origin.failing`',
    resource: 'Origin',
    example: restoredOrigin,
  },
  'origin.removed': {
    when: 'it was removed; not when its domain was, of which `domain.removed` is sent',
    resource: 'Origin',
    example: restoredOrigin,
  },
  'pet.created': { when: 'an animal was added', resource: 'Pet', example: pet },
  'order.created': { when: 'an order was placed', resource: 'Order', example: order },
};

/** The body of a request about an event, as it is sent but for white space. */
export function exampleOfWebhook(type: WebhookEventType): object {
  return { type, timestamp: '2026-11-02T09:11:04.512Z', sequence: 1, data: webhookEventCatalog[type].example };
}
