import type { DnsAnswer, DnsFindings, DomainIssue, ExpectedDns, RecordConflict } from '@pets/contracts';
import { describeIssue } from '../issues.js';
import { boundFindings } from './bound-findings.js';
import { expiryOfStale } from './dns-expiry.js';
import { viewsOf, type DnsView } from './dns-views.js';
import { followChain, type Chain } from './follow-chain.js';
import { explainFindings, type Explained } from './explain-findings.js';
import { isOneOf, type Addresses, type Ours, type ServerVerdict } from './server-verdict.js';

/**
 * Whether a name points at us: yes, no with the reasons, or could not tell.
 *
 * The zone's own servers decide where any of them answers, past all caches; else the resolvers do. All that decide and
 * answer must show the records: one that still has the old ones would send visitors and the CA elsewhere. A server that
 * failed counts neither way.
 */
export type DnsVerdict =
  /**
   * `by`: whether every server that decides shows our target, which nobody can guess, or some show its addresses alone,
   * which all organizations share. `notes`: resolvers that still show the old records, or a CNAME at an apex; neither stops
   * anything.
   */
  | { readonly kind: 'matches'; readonly by: 'target' | 'address'; readonly notes?: readonly DomainIssue[] }
  | {
      readonly kind: 'mismatch';
      readonly issues: readonly DomainIssue[];
      readonly conflicts: readonly RecordConflict[];
    }
  | { readonly kind: 'unknown'; readonly issues: readonly DomainIssue[] };

interface Seen {
  readonly view: DnsView;
  readonly sighting: ServerVerdict;
}

/** Judges what the servers said. */
export function evaluateDns(allFindings: DnsFindings, expected: ExpectedDns): DnsVerdict {
  // The version before sends all that was answered.
  const findings = boundFindings(allFindings, expected);
  const ours = addressesOf(findings, expected.targetHost);
  const all = viewsOf(findings, expected.name).map((view) => ({
    view,
    sighting: evaluateServer(view, expected, ours),
  }));
  const told = all.filter(({ sighting }) => sighting.kind !== 'unknown');
  const authoritative = told.filter(({ view }) => view.isAuthoritative);
  const resolvers = told.filter(({ view }) => !view.isAuthoritative);
  const deciding = authoritative.length > 0 ? authoritative : resolvers;

  const misses = deciding.filter(isMiss);
  if (misses.length > 0) return describeMisses(misses, deciding, { findings, expected, ours });
  if (deciding.length === 0)
    return { kind: 'unknown', issues: [describeIssue('resolver_failed', { errors: errorsOf(findings, all) })] };
  const lagging = deciding === resolvers ? [] : resolvers.filter(isMiss);
  const by = deciding.every(({ sighting }) => sighting.kind === 'matches' && sighting.by === 'target')
    ? 'target'
    : 'address';
  const notes = [
    ...apexCnames(deciding, expected),
    ...(lagging.length === 0 ? [] : [propagating(lagging, findings, expected)]),
  ];
  return notes.length === 0 ? { kind: 'matches', by } : { kind: 'matches', by, notes };
}

/** RFC 1034 §3.6.2: a CNAME at an apex is beside SOA and NS. Resolvers follow it as a rule, and mail is lost. */
function apexCnames(deciding: readonly Seen[], { name, isApex, targetHost }: ExpectedDns): DomainIssue[] {
  const servers = deciding.flatMap(({ view, sighting }) =>
    sighting.kind === 'matches' && sighting.by === 'target' ? [view.server] : [],
  );
  if (!isApex || servers.length === 0) return [];
  return [describeIssue('apex_cname_to_us', { name, expected: targetHost, servers })];
}

function evaluateServer(view: DnsView, expected: ExpectedDns, ours: Ours): ServerVerdict {
  const chain = followChain(view, expected);
  if (chain.kind === 'failed') return { kind: 'unknown', error: chain.error };
  const [a, aaaa] = [view.answersTo(expected.name, 'A'), view.answersTo(expected.name, 'AAAA')];
  const addresses = { a: a.flatMap(valuesOf), aaaa: aaaa.flatMap(valuesOf) };
  const seen = [...addresses.a, ...addresses.aaaa];
  if (chain.kind === 'reached' || chain.hops.length > 0) return evaluateCname(chain, addresses, ours);

  const failed = [...a, ...aaaa].find((answer) => answer.kind === 'failed');
  if (seen.length === 0) return failed ? { kind: 'unknown', error: failed.error } : { kind: 'nothing' };
  if (!expected.isApex) return { kind: 'addresses', ...addresses };
  // Flattened by the provider, the addresses of an ALIAS are those of our target: for that all must be known.
  if (failed !== undefined) return { kind: 'unknown', error: failed.error };
  if (ours.error !== null) return { kind: 'unknown', error: ours.error };
  return seen.every((address) => isOneOf(address, ours.addresses))
    ? { kind: 'matches', by: 'address' }
    : { kind: 'addresses', ...addresses };
}

/** A CNAME, and addresses at the same name. Those of our own target may be a provider's doing, and lead here all the same. */
function evaluateCname(chain: Exclude<Chain, { kind: 'failed' }>, { a, aaaa }: Addresses, ours: Ours): ServerVerdict {
  const isForeign = (address: string) => !isOneOf(address, ours.addresses);
  const beside = { a: a.filter(isForeign), aaaa: aaaa.filter(isForeign) };
  if (chain.kind === 'ended') return { kind: 'chain', hops: chain.hops, beside };
  if (beside.a.length + beside.aaaa.length === 0) return { kind: 'matches', by: 'target' };
  return ours.hasFailed ? { kind: 'unknown', error: ours.error ?? '' } : { kind: 'beside', beside };
}

function addressesOf({ lookups }: DnsFindings, targetHost: string): Ours {
  const answers = lookups.filter(({ name }) => name === targetHost).map(({ answer }) => answer);
  const addresses = [...new Set(answers.flatMap(valuesOf))];
  if (addresses.length > 0) return { addresses, error: null, hasFailed: false };
  const failed = answers.find((answer) => answer.kind === 'failed');
  return { addresses, error: failed?.error ?? `${targetHost} has no address`, hasFailed: failed !== undefined };
}

function describeMisses(
  misses: readonly Seen[],
  deciding: readonly Seen[],
  context: Omit<Parameters<typeof explainFindings>[1], 'servers'>,
): DnsVerdict {
  const servers = misses.map(({ view }) => view.server);
  const explained: Explained = explainFindings(misses[0]?.sighting ?? { kind: 'nothing' }, { ...context, servers });
  const isSpreading = misses.length < deciding.length;
  return {
    kind: 'mismatch',
    issues: [...(isSpreading ? [propagating(misses, context.findings, context.expected)] : []), ...explained.issues],
    conflicts: explained.conflicts,
  };
}

function propagating(stale: readonly Seen[], findings: DnsFindings, expected: ExpectedDns): DomainIssue {
  const servers = stale.map(({ view }) => view.server);
  const expectedBy = expiryOfStale(findings, expected, servers);
  return describeIssue('propagating', { stale: servers, ...(expectedBy !== null && { expectedBy }) });
}

function isMiss({ sighting }: Seen): boolean {
  return sighting.kind !== 'matches' && sighting.kind !== 'unknown';
}

function errorsOf({ lookups }: DnsFindings, all: readonly Seen[]): string[] {
  const failures = lookups.flatMap(({ server, answer }) =>
    answer.kind === 'failed' ? [`${server}: ${answer.error}`] : [],
  );
  const told = all.flatMap(({ sighting }) => (sighting.kind === 'unknown' ? [sighting.error] : []));
  const errors = [...new Set(failures.length > 0 ? failures : told)];
  return errors.length === 0 ? ['no name server was queried'] : errors;
}

function valuesOf(answer: DnsAnswer): string[] {
  return answer.kind === 'found' ? answer.records.map(({ value }) => value.toLowerCase()) : [];
}
