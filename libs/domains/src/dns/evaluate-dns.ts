import type { DnsFindings, DomainIssue, ExpectedDns, RecordConflict } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { boundFindings } from './bound-findings.js';
import { bogusErrorOf, bogusIssue, bogusLookups } from './evaluate-dnssec.js';
import { type DnsView, expiryOfStale, viewsOf } from './dns-views.js';
import { explainFindings, type Explanation, type MissVerdict } from './explain-findings.js';
import { addressRecordsOf } from './public-addresses.js';
import {
  evaluateServer,
  isOneOf,
  targetAddressesOf,
  type ServerVerdict,
  type TargetAddresses,
} from './evaluate-server.js';

/**
 * Whether a name points here: yes, no with the reasons, or unknown.
 *
 * The authoritative servers decide if any of them answers, else the resolvers. All deciding servers that answer must have the
 * records: one with the old records would send visitors and the CA elsewhere. A failed server does not count.
 */
export type DnsVerdict =
  /**
   * `by`: whether all deciding servers show our target, which nobody can guess, or some show only its addresses, which all
   * organizations share. `notes`: resolvers that still have the old records or refuse the signatures of the zone, a CNAME at an
   * apex, or a flattened one. Notes do not prevent verification.
   */
  | { readonly kind: 'matches'; readonly by: 'target' | 'address'; readonly notes?: readonly DomainIssue[] }
  | {
      readonly kind: 'mismatch';
      readonly issues: readonly DomainIssue[];
      readonly conflicts: readonly RecordConflict[];
      /** Whether some of our addresses are at the name, so that it will need the proof of a name that matches by address. */
      readonly showsOurAddresses?: boolean;
    }
  | { readonly kind: 'unknown'; readonly issues: readonly DomainIssue[] };

interface ServerResult {
  readonly view: DnsView;
  readonly verdict: ServerVerdict;
}

interface Miss extends ServerResult {
  readonly verdict: MissVerdict;
}

/** Evaluates the answers of all servers. The record of the organization's own wildcard leads here as well. */
export function evaluateDns(findings: DnsFindings, expected: ExpectedDns): DnsVerdict {
  const { wildcardTargetHost } = expected;
  const verdict = evaluateTarget(findings, expected);
  if (verdict.kind !== 'mismatch' || wildcardTargetHost === null) return verdict;
  const covered = evaluateTarget(findings, { ...expected, targetHost: wildcardTargetHost });
  return covered.kind === 'matches' ? covered : verdict;
}

function evaluateTarget(allFindings: DnsFindings, expected: ExpectedDns): DnsVerdict {
  // A worker bounds its findings. A defective one must not fill the rows of a domain.
  const findings = boundFindings(allFindings, expected);
  const ours = targetAddressesOf(findings, expected);
  const all = viewsOf(findings, expected.name).map((view) => ({
    view,
    verdict: evaluateServer(view, expected, ours),
  }));
  const answered = all.filter(({ verdict }) => verdict.kind !== 'unknown');
  const authoritative = answered.filter(({ view }) => view.isAuthoritative);
  const deciding = authoritative.length > 0 ? authoritative : answered;

  const misses = deciding.filter(isMiss);
  const [miss] = misses;
  if (miss !== undefined) return describeMisses(miss, misses, deciding, { findings, expected, ours });
  const bogus = bogusLookups(findings.lookups, expected.name).map(bogusErrorOf);
  const dnssec = bogus.length === 0 ? [] : [bogusIssue(expected.name, bogus)];
  if (deciding.length === 0) {
    const failed = describeIssue('resolver_failed', { errors: errorsOf(findings, all) });
    return { kind: 'unknown', issues: dnssec.length === 0 ? [failed] : dnssec };
  }
  // No deciding server misses.
  const staleResolvers = answered.filter(isMiss);
  const by = deciding.every(isByTarget) ? 'target' : 'address';
  if (by === 'address') {
    const other = refuteByCname(all, { findings, expected, ours });
    if (other !== null) return other;
  }
  const notes = [
    ...dnssec,
    ...apexCnames(deciding, expected),
    ...(by === 'address' && !expected.isApex ? [flattened(expected)] : []),
    ...(staleResolvers.length === 0 ? [] : [propagating(staleResolvers, findings, expected)]),
  ];
  return notes.length === 0 ? { kind: 'matches', by } : { kind: 'matches', by, notes };
}

/**
 * Addresses do not say whose they are, a CNAME does: no name matches by address while any server shows a CNAME that does not
 * lead to our target. Null if none does.
 */
function refuteByCname(
  all: readonly ServerResult[],
  context: Omit<Parameters<typeof explainFindings>[1], 'servers'>,
): DnsVerdict | null {
  const others = all.filter((result) => result.view.hasCname && !isByTarget(result));
  const misses = others.filter(isMiss);
  const [miss] = misses;
  if (miss !== undefined) return describeMisses(miss, misses, all, context);
  if (others.length === 0) return null;
  const errors = errorsOf(context.findings, others);
  return { kind: 'unknown', issues: [describeIssue('resolver_failed', { errors })] };
}

function flattened({ name, targetHost }: ExpectedDns): DomainIssue {
  return describeIssue('flattened', { name, expected: targetHost });
}

/** RFC 1034 §3.6.2: a CNAME at an apex conflicts with SOA and NS. Resolvers usually follow it, but mail is lost. */
function apexCnames(deciding: readonly ServerResult[], expected: ExpectedDns): DomainIssue[] {
  const { name, isApex, targetHost } = expected;
  const servers = deciding.filter(isByTarget).map(({ view }) => view.server);
  if (!isApex || servers.length === 0) return [];
  return [describeIssue('apex_cname_to_us', { name, expected: targetHost, servers, ...addressRecordsOf(expected) })];
}

/** @param first of the servers that miss, for all of them */
function describeMisses(
  first: Miss,
  misses: readonly Miss[],
  deciding: readonly ServerResult[],
  context: Omit<Parameters<typeof explainFindings>[1], 'servers'>,
): DnsVerdict {
  const servers = misses.map(({ view }) => view.server);
  const explained: Explanation = explainFindings(first.verdict, { ...context, servers });
  const isPropagating = misses.length < deciding.length;
  return {
    kind: 'mismatch',
    issues: [...(isPropagating ? [propagating(misses, context.findings, context.expected)] : []), ...explained.issues],
    conflicts: explained.conflicts,
    ...(misses.some(({ verdict }) => hasOurAddress(verdict, context.ours)) && { showsOurAddresses: true }),
  };
}

function hasOurAddress(verdict: ServerVerdict, { addresses }: TargetAddresses): boolean {
  return verdict.kind === 'addresses' && [...verdict.a, ...verdict.aaaa].some((address) => isOneOf(address, addresses));
}

function propagating(stale: readonly ServerResult[], findings: DnsFindings, expected: ExpectedDns): DomainIssue {
  const servers = stale.map(({ view }) => view.server);
  const expectedBy = expiryOfStale(findings, expected, servers);
  return describeIssue('propagating', { stale: servers, ...(expectedBy !== null && { expectedBy }) });
}

function isByTarget({ verdict }: ServerResult): boolean {
  return verdict.kind === 'matches' && verdict.by === 'target';
}

function isMiss(result: ServerResult): result is Miss {
  const { verdict } = result;
  return verdict.kind !== 'matches' && verdict.kind !== 'unknown';
}

function errorsOf({ lookups }: DnsFindings, all: readonly ServerResult[]): string[] {
  const failures = lookups.flatMap(({ server, answer }) =>
    answer.kind === 'failed' ? [`${server}: ${answer.error}`] : [],
  );
  const answered = all.flatMap(({ verdict }) => (verdict.kind === 'unknown' ? [verdict.error] : []));
  const errors = [...new Set(failures.length > 0 ? failures : answered)];
  return errors.length === 0 ? ['no name server was queried'] : errors;
}
