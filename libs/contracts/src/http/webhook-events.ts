import type { WebhookEventType } from '../enums.js';
import { domainExample } from './domains.example.js';
import { originExample } from './origins.example.js';
import { issueExamples } from './webhook-issues.example.js';

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
