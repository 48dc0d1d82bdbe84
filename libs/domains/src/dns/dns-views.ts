import type { DnsAnswer, DnsFindings, DnsLookup, DnsQuestionType } from '@pets/contracts';

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
