import type { ExpectedDns } from '@pets/contracts';
import type { DnsView } from './dns-views.js';

/** Longer chains are a loop or a mistake; resolvers give up at about the same length. */
const MAX_CHAIN = 8;

/** Where the CNAMEs of a name lead. `hops` is empty where it has none. */
export type Chain =
  | { readonly kind: 'reached' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'ended'; readonly hops: readonly string[] };

/**
 * Follows CNAMEs from the name; somewhere on the way the exact target must stand. Where servers disagree about a hop, each
 * way is followed, and one that ends elsewhere is what is told.
 */
export function followChain(view: DnsView, { name, targetHost }: ExpectedDns): Chain {
  const ways = new Map<string, readonly string[]>([[name, []]]);
  const target = hostOf(targetHost);
  let failure: string | null = null;
  // A map is iterated in order of insertion, and what is added on the way comes too.
  for (const [at, hops] of ways) {
    const answers = view.answersTo(at, 'CNAME');
    const told = answers.filter((answer) => answer.kind !== 'failed');
    const failed = answers.find((answer) => answer.kind === 'failed');
    if (told.length === 0 && failed !== undefined) failure ??= failed.error;
    if (answers.length === 0) return { kind: 'ended', hops };
    for (const answer of told) {
      if (answer.kind === 'absent') return { kind: 'ended', hops };
      // More than a name can have, and not all of them known: they cannot be said to lead here.
      if (answer.omitted !== undefined)
        return { kind: 'ended', hops: [...hops, ...answer.records.slice(0, 1).map(({ value }) => hostOf(value))] };
      for (const next of answer.records.map(({ value }) => hostOf(value))) {
        if (next === target) continue;
        const isLoop = next === name || hops.includes(next);
        if (isLoop || hops.length + 1 >= MAX_CHAIN) return { kind: 'ended', hops: [...hops, next] };
        if (!ways.has(next)) ways.set(next, [...hops, next]);
      }
    }
  }
  return failure === null ? { kind: 'reached' } : { kind: 'failed', error: failure };
}

/** Host names compare without case and final dot (RFC 4343, RFC 1034 §3.1). */
export function hostOf(value: string): string {
  return value.toLowerCase().replace(/\.$/, '');
}
