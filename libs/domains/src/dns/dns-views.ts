import type { DnsAnswer, DnsFindings, DnsLookup, DnsQuestionType, ExpectedDns } from '@pets/contracts';
import { hostOf, isDoubledName, isWildcardProbe } from './probes.js';

/** The answers of one server. */
export interface DnsView {
  readonly server: string;
  readonly isAuthoritative: boolean;
  /** Whether it shows a CNAME at the name, by an answer to any question. */
  readonly hasCname: boolean;
  /** The answers to a question; several only if the question belongs to another zone, whose servers all count. */
  readonly answersTo: (name: string, type: DnsQuestionType) => readonly DnsAnswer[];
}

const absent: DnsAnswer = { kind: 'absent' };

/**
 * Groups the findings by server, for the servers that were queried for the name. A question that a resolver was not asked
 * has no answer, which counts as absent, since `gatherDns` leaves out irrelevant questions. An authoritative server knows
 * only its zone: for a chain out of it, the servers of the other zone answer, or else the resolvers.
 */
export function viewsOf({ lookups }: DnsFindings, name: string): DnsView[] {
  const byQuestion = Map.groupBy(lookups, (lookup) => questionOf(lookup.name, lookup.type));
  const asked = Map.groupBy(byQuestion.get(questionOf(name, 'CNAME')) ?? lookupsAbout(lookups, name), serverKeyOf);
  const firstOfEach = [...asked.values()].flatMap((ofServer) => ofServer.slice(0, 1));
  return firstOfEach.map((first) => {
    const isAuthoritative = first.isAuthoritative === true;
    const answersTo = (host: string, type: DnsQuestionType): readonly DnsAnswer[] => {
      const all = byQuestion.get(questionOf(host, type)) ?? [];
      const own = all.filter((lookup) => serverKeyOf(lookup) === serverKeyOf(first));
      if (own.length > 0) return own.map(plainAnswer);
      return isAuthoritative ? preferAuthority(all).map(plainAnswer) : [];
    };
    const own = lookupsAbout(lookups, name).filter((lookup) => serverKeyOf(lookup) === serverKeyOf(first));
    const hasCname =
      own.some(({ alias }) => alias !== undefined) ||
      answersTo(name, 'CNAME').some((answer) => answer.kind === 'found');
    return { server: first.server, isAuthoritative, hasCname, answersTo };
  });
}

/** The lookups of the authoritative servers if any has answered, else those of the resolvers. */
export function preferAuthority(lookups: readonly DnsLookup[]): readonly DnsLookup[] {
  const authoritative = lookups.filter(({ isAuthoritative, answer }) => isAuthoritative && answer.kind !== 'failed');
  return authoritative.length > 0 ? authoritative : lookups.filter(({ isAuthoritative }) => !isAuthoritative);
}

/** Addresses behind a CNAME belong to another name, so they do not conflict here. */
function plainAnswer({ answer, alias }: DnsLookup): DnsAnswer {
  return alias === undefined || answer.kind === 'failed' ? answer : absent;
}

function lookupsAbout(lookups: readonly DnsLookup[], name: string): readonly DnsLookup[] {
  return lookups.filter((lookup) => lookup.name === name && (lookup.type === 'A' || lookup.type === 'AAAA'));
}

function serverKeyOf({ server, isAuthoritative }: DnsLookup): string {
  return `${isAuthoritative ?? false} ${server}`;
}

function questionOf(name: string, type: DnsQuestionType): string {
  return `${type} ${hostOf(name)}`;
}

/**
 * When the last cached answer of these servers expires: a record by its TTL, a negative answer by its SOA (RFC 2308 §5). Null
 * if none of them is a cache: an authoritative server is out of date for other reasons.
 * @returns RFC 3339
 */
export function expiryOfStale(
  { lookups, checkedAt }: DnsFindings,
  expected: ExpectedDns,
  servers: readonly string[],
): string | null {
  const ends = lookups
    .filter(({ server, isAuthoritative }) => !isAuthoritative && servers.includes(server))
    .filter(({ name, type }) => type !== 'TXT' && type !== 'SOA' && !isAuxiliary(name, expected))
    .flatMap((lookup) => ttlsOf(lookup).map((ttl) => Date.parse(lookup.at ?? checkedAt) + ttl * 1_000));
  return ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
}

/** Whether a lookup is not about where the name points. */
function isAuxiliary(name: string, expected: ExpectedDns): boolean {
  return (
    name === expected.targetHost ||
    name === expected.delegation?.host ||
    isWildcardProbe(name) ||
    isDoubledName(name, expected)
  );
}

function ttlsOf({ answer }: DnsLookup): number[] {
  switch (answer.kind) {
    case 'found':
      return answer.records.flatMap(({ ttl }) => (ttl === null ? [] : [ttl]));
    case 'absent':
      return answer.ttl === undefined ? [] : [answer.ttl];
    case 'failed':
      return [];
  }
}

/** The values of an answer, in lower case. */
export function valuesOf(answer: DnsAnswer): string[] {
  return answer.kind === 'found' ? answer.records.map(({ value }) => value.toLowerCase()) : [];
}
