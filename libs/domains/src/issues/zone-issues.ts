import { nameText, text } from './evidence-texts.js';
import { apex, resolver } from './names.example.js';
import type { IssueEntries } from './issue-entry.js';

/** Issues of the name servers of a zone, and of its signatures. */
export const zoneIssues = {
  resolver_failed: {
    severity: 'warning',
    area: 'zone',
    blocking: true,
    resolvesAutomatically: true,
    title: 'name servers do not answer',
    meaning: 'No name server gave a usable answer. This never counts against the domain.',
    message: (e) =>
      `The name servers gave no usable answer (${text(e.errors)}), so we could not check whether the records are correct.`,
    remediation: () =>
      'No action is needed if this is temporary: we try again automatically. Otherwise check that the zone’s name servers answer.',
    example: { errors: [`${resolver}: SERVFAIL`] },
  },
  dnssec_broken: {
    severity: 'error',
    area: 'zone',
    blocking: true,
    resolvesAutomatically: false,
    title: 'DNSSEC broken',
    meaning:
      'Resolvers refuse the signatures of the zone, and answer without checking them. Usual after a move to another DNS provider. No certificate is ordered.',
    message: (e) =>
      `The DNSSEC signatures of ${nameText(e.name)} are not valid (${text(e.seen)}), so visitors and certificate authorities whose resolvers check them get no answer.`,
    remediation: (e) =>
      `Remove the DS record of ${nameText(e.name)} at your registrar, or have your DNS provider sign the zone again. Certificates are ordered once the signatures are valid or gone.`,
    example: { name: apex, seen: [`${resolver}: SERVFAIL (DNSKEY Missing)`] },
  },
} satisfies IssueEntries;
