import type { DnsLookup, DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { registrableDomainOf } from '../names/parse-domain-name.js';
import { baseNameOf } from '../names/wildcard-name.js';
import { parentOf } from './probes.js';

export type BogusLookup = DnsLookup & { readonly answer: { readonly kind: 'failed' } };

/**
 * The look-ups at resolvers whose validation of DNSSEC failed for names of a registered domain. A resolver that cannot validate
 * what is above the domain either has a problem of its own, so its failures do not count.
 * @param name whose registered domain is meant
 */
export function bogusLookups(lookups: readonly DnsLookup[], name: string): readonly BogusLookup[] {
  const domain = domainOf(name);
  const parent = parentOf(domain);
  const validating = new Set(
    lookups
      .filter((lookup) => !lookup.isAuthoritative && lookup.name === parent && lookup.answer.kind !== 'failed')
      .map(({ server }) => server),
  );
  return lookups.filter(
    (lookup): lookup is BogusLookup =>
      lookup.answer.kind === 'failed' &&
      lookup.answer.isBogus === true &&
      (lookup.name === domain || lookup.name.endsWith(`.${domain}`)) &&
      validating.has(lookup.server),
  );
}

/** The issue of a domain whose DNSSEC is broken. @param errors of resolvers, with the extended DNS errors that explain them */
export function bogusIssue(name: string, errors: readonly string[]): DomainIssue {
  return describeIssue('dnssec_broken', { name: domainOf(name), seen: [...new Set(errors)] });
}

/** The error of such a look-up, with its server. */
export function bogusErrorOf({ server, answer }: BogusLookup): string {
  return `${server}: ${answer.error}`;
}

function domainOf(name: string): string {
  const base = baseNameOf(name);
  return registrableDomainOf(base) ?? base;
}
