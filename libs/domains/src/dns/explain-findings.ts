import type { DnsFindings, DomainIssue, ExpectedDns, RecordConflict } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { bytesOf, allocateBytes } from './truncate.js';
import { expiryOfStale } from './dns-views.js';
import { hostOf, isDoubledName, isWildcardProbe, parentOf } from './probes.js';
import { explainNearMiss } from './near-miss.js';
import { proxyOfAddress, proxyOfHost } from './address-ranges.js';
import { isOneOf, type Addresses, type TargetAddresses, type ServerVerdict } from './evaluate-server.js';
import { displayNameOf } from '../names/unicode-name.js';
import { addressRecordsOf, offeredAddresses } from './public-addresses.js';

export interface Explanation {
  readonly issues: readonly DomainIssue[];
  readonly conflicts: readonly RecordConflict[];
}

interface Context {
  readonly findings: DnsFindings;
  readonly expected: ExpectedDns;
  readonly ours: TargetAddresses;
  /** The servers with this result. */
  readonly servers: readonly string[];
}

/** Maximum size of all conflicts as JSON. */
const MAX_CONFLICT_BYTES = 2_048;

type AddressKind = 'A' | 'AAAA';

/** The result of a server whose records do not lead here. */
export type MissVerdict = Exclude<ServerVerdict, { kind: 'matches' | 'unknown' }>;

/** Describes a result that does not point here as issues for the owner, with the records to change. */
export function explainFindings(verdict: MissVerdict, context: Context): Explanation {
  switch (verdict.kind) {
    case 'chain':
      return combine(explainChain(verdict.hops, context), explainConflicting(verdict.conflicting, context));
    case 'conflicting':
      return explainConflicting(verdict.conflicting, context);
    case 'addresses':
      return explainAddresses(verdict, context);
    case 'nothing':
      return { issues: [noRecord(context)], conflicts: [] };
  }
}

function noRecord({ findings, expected, servers }: Context): DomainIssue {
  const doubled = findings.lookups.find(({ name, answer }) => isDoubledName(name, expected) && answer.kind === 'found');
  if (doubled !== undefined) return enteredWithZone(doubled.name, expected, servers);
  // A cache that has the record keeps none that is missing.
  const having = findings.lookups.filter(({ name, answer }) => name === expected.name && answer.kind === 'found');
  const caches = new Set(findings.lookups.map(({ server }) => server)).difference(
    new Set(having.map(({ server }) => server)),
  );
  const expectedBy = expiryOfStale(findings, expected, [...caches]);
  return describeIssue('no_record', {
    name: expected.name,
    expected: expected.targetHost,
    servers,
    ...(expected.isApex && addressRecordsOf(expected)),
    ...(expectedBy !== null && { expectedBy }),
  });
}

/** The complete name was entered in a form that appends the zone. */
function enteredWithZone(seen: string, { name, targetHost }: ExpectedDns, servers: readonly string[]): DomainIssue {
  const zone = seen.slice(name.length + 1);
  const entered = name === zone ? '@' : name.slice(0, -(zone.length + 1));
  return describeIssue('entered_with_zone', { name, seen, entered, expected: targetHost, servers });
}

function explainChain(hops: readonly string[], context: Context): Explanation {
  const { name, targetHost, isApex } = context.expected;
  const first = hops[0] ?? '';
  const proxy = isApex ? undefined : (hops.map(proxyOfHost).find((owner) => owner !== null) ?? undefined);
  const nearMiss = hops.map((hop) => explainNearMiss(hop, targetHost, name)).find((found) => found !== null);
  const evidence = {
    name,
    seen: hops.join(' → '),
    expected: targetHost,
    servers: context.servers,
    ...nearMiss,
    ...(isLoop(hops, name) && { hint: 'These CNAME records form a loop, which leads nowhere.' }),
    ...wildcardOf(context, [first]),
    ...(proxy && { proxy }),
    ...(isApex && addressRecordsOf(context.expected)),
  };
  const code = isApex ? 'apex_cname' : proxy ? 'proxied_by_cdn' : 'cname_mismatch';
  const action = isApex ? 'remove' : 'change';
  return {
    issues: [describeIssue(code, evidence)],
    conflicts: 'wildcard' in evidence ? [] : [{ type: 'CNAME', name, value: first, action }],
  };
}

function isLoop(hops: readonly string[], name: string): boolean {
  return new Set([name, ...hops]).size <= hops.length;
}

/** Addresses of a proxy are not records of the zone: the proxy answers instead of the CNAME and has to be turned off. */
function explainConflicting({ a, aaaa }: Addresses, { findings, expected, servers }: Context): Explanation {
  const all = [...records('A', a), ...records('AAAA', aaaa)];
  const proxied = all.filter(({ value }) => proxyOfAddress(value) !== null);
  const conflicting = all.filter((record) => !proxied.includes(record));
  const { name, targetHost } = expected;
  const shown = { name, expected: targetHost, servers };
  const seen = conflicting.map(({ type, value }) => `${type} ${value}`);
  const expectedBy = expiryOfStale(findings, expected, servers);
  return {
    issues: [
      ...(proxied.length === 0
        ? []
        : [describeIssue('proxied_by_cdn', { ...shown, seen: proxied.map(valueOf), proxy: 'Cloudflare' })]),
      ...(conflicting.length === 0
        ? []
        : [describeIssue('conflicting_records', { ...shown, seen, ...(expectedBy !== null && { expectedBy }) })]),
    ],
    conflicts: removalOf(conflicting, name),
  };
}

function combine(...parts: readonly Explanation[]): Explanation {
  return { issues: parts.flatMap(({ issues }) => issues), conflicts: parts.flatMap(({ conflicts }) => conflicts) };
}

function explainAddresses({ a, aaaa }: Addresses, context: Context): Explanation {
  const { expected, ours } = context;
  const all = [...records('A', a), ...records('AAAA', aaaa)];
  const foreign = all.filter(({ value }) => !isOneOf(value, ours.addresses));
  const proxied = foreign.filter(({ value }) => proxyOfAddress(value) !== null);
  const conflicting = foreign.filter((record) => !proxied.includes(record));
  const { name, targetHost } = expected;
  const wildcard = wildcardOf(context, [...a, ...aaaa]);
  const shown = { name, expected: targetHost, servers: context.servers, ...wildcard };
  const proxyIssue =
    proxied.length === 0
      ? []
      : [describeIssue('proxied_by_cdn', { ...shown, seen: proxied.map(valueOf), proxy: 'Cloudflare' })];
  return {
    issues: [...proxyIssue, ...conflictIssues(conflicting, shown, context)],
    // Addresses of a proxy are not records of the zone, and a wildcard record does not belong to the name.
    conflicts: wildcard.wildcard ? [] : removalOf(conflicting, name),
  };
}

/** The records to remove. If there are many, the rest is shown once these are removed. */
function removalOf(conflicting: readonly { type: AddressKind; value: string }[], name: string): RecordConflict[] {
  const conflicts = conflicting.map(({ type, value }) => ({ type, name, value, action: 'remove' }) as const);
  const sizes = conflicts.map((conflict) => bytesOf(JSON.stringify(conflict)));
  return conflicts.slice(0, allocateBytes([sizes], MAX_CONFLICT_BYTES)[0]);
}

type Shown = Record<string, string | readonly string[]>;

function conflictIssues(
  conflicting: readonly { type: AddressKind; value: string }[],
  shown: Shown,
  { expected, ours }: Context,
): DomainIssue[] {
  if (conflicting.length === 0) return [];
  if (expected.isApex) {
    const offered = offeredAddresses(expected);
    const evidence = {
      ...shown,
      seen: conflicting.map(valueOf),
      expected: offered.length > 0 ? offered : ours.addresses,
      target: expected.targetHost,
      ...addressRecordsOf(expected),
    };
    return [describeIssue('apex_not_pointing_here', evidence)];
  }
  const codes = [
    ['A', 'conflicting_a'],
    ['AAAA', 'conflicting_aaaa'],
  ] as const;
  return codes.flatMap(([type, code]) => {
    const values = conflicting.filter((record) => record.type === type).map(valueOf);
    return values.length === 0 ? [] : [describeIssue(code, { ...shown, seen: values })];
  });
}

/** If a random sibling has the same records, a wildcard record answers, and the name has no record of its own. */
function wildcardOf({ findings, expected }: Context, seen: readonly string[]): { wildcard?: string; hint?: string } {
  const isSame = findings.lookups.some(
    ({ name, type, answer }) =>
      isWildcardProbe(name) &&
      type !== 'TXT' &&
      answer.kind === 'found' &&
      answer.records.some(({ value }) => seen.includes(hostOf(value))),
  );
  const wildcard = `*.${parentOf(expected.name)}`;
  if (!isSame) return {};
  return {
    wildcard,
    hint: `The wildcard record ${displayNameOf(wildcard)} answers for this name. It may stay: a record of the name itself takes precedence.`,
  };
}

function records(type: AddressKind, values: readonly string[]) {
  return values.map((value) => ({ type, value }));
}

function valueOf({ value }: { value: string }): string {
  return value;
}
