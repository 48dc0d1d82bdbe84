import type { DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { bytesOf, truncateText, allocateBytes } from './truncate.js';
import { hostOf, isWildcardProbe, wwwNameOf } from './probes.js';
import { addressKey } from './ip-address.js';

const MAX_SET_RECORDS = 16;
/** For all values of a domain, in addition to one of each set. */
const MAX_DOMAIN_BYTES = 8_192;

type Records = Extract<DnsLookup['answer'], { kind: 'found' }>['records'];
type Rank = 0 | 1 | 2;

/**
 * Reduces findings to a bounded size without changing any verdict: the records that decide come first, and the first is always
 * kept (the token among TXT records, a CNAME to another target, an address that is not ours). Idempotent.
 */
export function boundFindings(findings: DnsFindings, expected: ExpectedDns): DnsFindings {
  const rankIn = rankingOf(findings, expected);
  const cut = findings.lookups.map((lookup) => boundAnswer(lookup, rankIn(lookup), maxRecords(lookup, expected)));
  const sizes = cut.map((lookup) =>
    maxRecords(lookup, expected) === Infinity ? [] : recordsOf(lookup).slice(1).map(sizeOf),
  );
  const counts = allocateBytes(sizes, MAX_DOMAIN_BYTES);
  const lookups = cut.map((lookup, index) =>
    maxRecords(lookup, expected) === Infinity ? lookup : limitRecords(lookup, 1 + (counts[index] ?? 0)),
  );
  return { ...findings, lookups, zone: findings.zone === null ? null : truncateText(findings.zone) };
}

/** Our own target is trusted. */
function maxRecords({ name }: DnsLookup, { targetHost }: ExpectedDns): number {
  return name === targetHost ? Infinity : MAX_SET_RECORDS;
}

function boundAnswer(lookup: DnsLookup, rankOf: (value: string) => Rank, max: number): DnsLookup {
  const { answer, alias } = lookup;
  const bounded = alias === undefined ? lookup : { ...lookup, alias: truncateText(alias) };
  if (answer.kind === 'failed') return { ...bounded, answer: { ...answer, error: truncateText(answer.error) } };
  if (answer.kind === 'absent')
    return answer.zone === undefined ? bounded : { ...bounded, answer: { ...answer, zone: truncateText(answer.zone) } };
  const records = firstByRank(answer.records, rankOf, max);
  const omitted = (answer.omitted ?? 0) + answer.records.length - records.length;
  return limitRecords({ ...bounded, answer: { ...answer, records, omitted } }, max);
}

/** The records in the order of their ranks. Ranks no more than it needs: an answer can have thousands of addresses. */
function firstByRank(records: Records, rankOf: (value: string) => Rank, max: number): Records {
  const ranked: Record<Rank, Records> = { 0: [], 1: [], 2: [] };
  for (const record of records) {
    ranked[rankOf(record.value)].push(record);
    if (ranked[0].length === max) break;
  }
  return [...ranked[0], ...ranked[1], ...ranked[2]];
}

function limitRecords(lookup: DnsLookup, count: number): DnsLookup {
  const { answer } = lookup;
  if (answer.kind !== 'found') return lookup;
  const records = answer.records.slice(0, count).map(({ value, ttl }) => ({ value: truncateText(value), ttl }));
  const omitted = (answer.omitted ?? 0) + answer.records.length - records.length;
  return { ...lookup, answer: { kind: 'found', records, ...(omitted > 0 && { omitted }) } };
}

/** Ranks the records of a set: first those that decide, then those that explain. */
function rankingOf({ lookups }: DnsFindings, expected: ExpectedDns): (lookup: DnsLookup) => (value: string) => Rank {
  const { name, addresses, targetHost, wwwTargetHost, ownershipHost, ownershipToken, delegation } = expected;
  const target = hostOf(targetHost);
  const wwwTarget = hostOf(wwwTargetHost ?? targetHost);
  const valuesAt = (host: string) => lookups.filter((lookup) => lookup.name === host).flatMap(recordsOf);
  const ours = new Set([...addresses, ...valuesAt(targetHost).map(({ value }) => value)].map(addressKey));
  const shown = new Set(valuesAt(name).map(({ value }) => value));
  const shownOurs = new Set([...shown].filter((value) => ours.has(addressKey(value))));
  return (lookup) => {
    if (lookup.type === 'CNAME') {
      const hostTarget = lookup.name === wwwNameOf(name) ? wwwTarget : target;
      const expectedTarget = lookup.name === delegation?.host ? hostOf(delegation.target) : hostTarget;
      return (value) => (hostOf(value) === expectedTarget ? 1 : 0);
    }
    // Also with its zone twice.
    const isOfProof = ownershipHost !== null && `${lookup.name}.`.startsWith(`${ownershipHost}.`);
    if (lookup.type === 'TXT' && (isOfProof || isWildcardProbe(lookup.name)))
      return (value) => rankOfProof(value, ownershipToken);
    // A sibling with the same records as the name shows that a wildcard answers for both.
    if (lookup.name !== name) return (value) => (shown.has(value) ? 0 : 1);
    return (value) => (shownOurs.has(value) ? 1 : 0);
  };
}

/** The largest difference in length between the token and a value that may be the token with a mistake. */
const NEAR_LENGTH = 8;

function rankOfProof(value: string, token: string | null): Rank {
  if (token === null) return 2;
  if (value === token) return 0;
  return value.includes(token) || Math.abs(value.length - token.length) <= NEAR_LENGTH ? 1 : 2;
}

function recordsOf({ answer }: DnsLookup): Records {
  return answer.kind === 'found' ? answer.records : [];
}

function sizeOf({ value }: Records[number]): number {
  return bytesOf(value);
}
