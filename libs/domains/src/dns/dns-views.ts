import type { DnsAnswer, DnsFindings, DnsLookup, DnsQuestionType, ExpectedDns } from '@pets/contracts';
import { isDoubledName, isWildcardProbe } from './probes.js';

/** What one server said, as far as it was asked. */
export interface DnsView {
  readonly server: string;
  readonly isAuthoritative: boolean;
  /** The answers to a question. Several only where the question belongs to another zone, whose servers all count. */
  readonly answersTo: (name: string, type: DnsQuestionType) => readonly DnsAnswer[];
}

const absent: DnsAnswer = { kind: 'absent' };

/**
 * The findings server by server, for the servers that were asked about the name. A question that was not put to a
 * resolver counts as absent: the gatherer leaves out what cannot matter. One of the zone's own servers knows its zone
 * only; where a chain leads out of it, the servers of the other zone are heard, or else the resolvers.
 */
export function viewsOf({ lookups }: DnsFindings, name: string): DnsView[] {
  const byQuestion = Map.groupBy(lookups, (lookup) => questionOf(lookup.name, lookup.type));
  const asked = Map.groupBy(byQuestion.get(questionOf(name, 'CNAME')) ?? lookupsAbout(lookups, name), viewerOf);
  return [...asked.values()].flatMap(([first]) => {
    if (first === undefined) return [];
    const isAuthoritative = first.isAuthoritative === true;
    const answersTo = (host: string, type: DnsQuestionType): readonly DnsAnswer[] => {
      const all = byQuestion.get(questionOf(host, type)) ?? [];
      const own = all.filter((lookup) => viewerOf(lookup) === viewerOf(first));
      if (own.length > 0) return own.map(plainAnswer);
      return isAuthoritative ? preferAuthority(all).map(plainAnswer) : [absent];
    };
    return [{ server: first.server, isAuthoritative, answersTo }];
  });
}

/** The answers of a zone's own servers where any has answered, else those of the resolvers. */
export function preferAuthority(lookups: readonly DnsLookup[]): readonly DnsLookup[] {
  const authoritative = lookups.filter(({ isAuthoritative, answer }) => isAuthoritative && answer.kind !== 'failed');
  return authoritative.length > 0 ? authoritative : lookups.filter(({ isAuthoritative }) => !isAuthoritative);
}

/** Addresses that a CNAME led to are another name's: they stand in nobody's way here. */
function plainAnswer({ answer, alias }: DnsLookup): DnsAnswer {
  return alias === undefined || answer.kind === 'failed' ? answer : absent;
}

function lookupsAbout(lookups: readonly DnsLookup[], name: string): readonly DnsLookup[] {
  return lookups.filter((lookup) => lookup.name === name && (lookup.type === 'A' || lookup.type === 'AAAA'));
}

function viewerOf({ server, isAuthoritative }: DnsLookup): string {
  return `${isAuthoritative ? 'zone' : 'resolver'} ${server}`;
}

function questionOf(name: string, type: DnsQuestionType): string {
  return `${type} ${name.toLowerCase()}`;
}

/**
 * When the last of these servers forgets what it has said: a record by its TTL, "there is none" by the SOA that came with
 * it (RFC 2308 §5). Null where no cache is behind it: a zone's own server that lags is out of date for another reason.
 */
export function expiryOfStale(
  { lookups, checkedAt }: DnsFindings,
  expected: ExpectedDns,
  servers: readonly string[],
): string | null {
  const ends = lookups
    .filter(({ server, isAuthoritative }) => !isAuthoritative && servers.includes(server))
    .filter(({ name, type }) => type !== 'TXT' && !isAuxiliary(name, expected))
    .flatMap((lookup) => ttlsOf(lookup).map((ttl) => Date.parse(lookup.at ?? checkedAt) + ttl * 1_000));
  return ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
}

/** What was asked for another reason than to learn where the name points. */
function isAuxiliary(name: string, expected: ExpectedDns): boolean {
  return name === expected.targetHost || isWildcardProbe(name) || isDoubledName(name, expected);
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
