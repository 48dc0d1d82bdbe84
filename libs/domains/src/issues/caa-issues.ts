import { nameText, text } from './evidence-texts.js';
import { apex } from './names.example.js';
import type { IssueEntries } from './issue-entry.js';

/** Issues of the CAA records, which say who may issue certificates. */
export const caaIssues = {
  caa_forbids: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'blocked by CAA',
    meaning: 'CAA records do not allow our certificate authority to issue.',
    message: (e) => `The CAA records at ${nameText(e.at)} (${text(e.records)}) do not allow our certificate authority.`,
    cause: (e) => `The CAA records of ${nameText(e.at)} do not allow our certificate authority to issue a certificate.`,
    remediation: (e) =>
      e.blocking === undefined
        ? `Add this record: ${text(e.permitting)}`
        : `Remove the critical records that certificate authorities do not recognize (${text(e.blocking)}), and make sure that this record exists: ${text(e.permitting)}`,
    example: {
      at: apex,
      records: ['0 issue "other-ca.example"'],
      permitting: 'example.com. CAA 0 issue "letsencrypt.org"',
    },
  },
  caa_too_large: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'CAA not readable',
    meaning: 'The CAA records are too large to read, so we could not check what they allow.',
    message: (e) =>
      `The CAA records at ${nameText(e.at)} are too large to read (${text(e.error)}), so we could not check whether they allow our certificate authority.`,
    remediation: (e) =>
      `Remove the CAA records at ${nameText(e.at)} that you do not need. We check again automatically.`,
    example: { at: apex, error: '150 records of 9750 bytes' },
  },
  caa_unanswered: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'CAA not answered',
    meaning: 'For an hour, name servers have not answered whether there are CAA records.',
    message: (e) =>
      `The CAA records at ${nameText(e.at)} have not been readable since ${text(e.since)} (${text(e.servers)}). Certificate authorities issue no certificate without an answer, which may be that there are none.`,
    remediation: (e) =>
      `Have your DNS provider make the name servers answer questions for the CAA records of ${nameText(e.at)}. We check again automatically.`,
    example: { at: apex, servers: ['192.0.2.54:53: SERVFAIL'], since: '2026-11-02T08:10:00.000Z' },
  },
} satisfies IssueEntries;
