import type { DnsFindings, ExpectedDns } from '@pets/contracts';
import { valuesOf, type DnsView } from './dns-views.js';
import { isSameAddress } from './ip-address.js';
import { hostOf } from './probes.js';

/** The result of evaluating one server. */
export type ServerVerdict =
  | { readonly kind: 'matches'; readonly by: 'target' | 'address' }
  | { readonly kind: 'unknown'; readonly error: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'chain'; readonly hops: readonly string[]; readonly conflicting: Addresses }
  /** The CNAME is correct, but these records at the same name conflict with it. */
  | { readonly kind: 'conflicting'; readonly conflicting: Addresses }
  | ({ readonly kind: 'addresses' } & Addresses);

export interface Addresses {
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
}

/** Our addresses: those that are listed, and those of our target as the resolvers return them. */
export interface TargetAddresses {
  readonly addresses: readonly string[];
  /** Why those of the target are unknown; null if they are known. */
  readonly error: string | null;
  /** Whether the lookup failed, so that there may be more addresses. */
  readonly hasFailed: boolean;
}

/** Evaluates the records of the name at one server. */
export function evaluateServer(view: DnsView, expected: ExpectedDns, ours: TargetAddresses): ServerVerdict {
  const chain = followChain(view, expected);
  if (chain.kind === 'failed') return { kind: 'unknown', error: chain.error };
  const a = view.answersTo(expected.name, 'A');
  const aaaa = view.answersTo(expected.name, 'AAAA');
  const addresses = { a: a.flatMap(valuesOf), aaaa: aaaa.flatMap(valuesOf) };
  const seen = [...addresses.a, ...addresses.aaaa];
  if (chain.kind === 'reached' || chain.hops.length > 0) return evaluateCname(chain, addresses, ours);

  const failed = [...a, ...aaaa].find((answer) => answer.kind === 'failed');
  if (seen.length === 0) return failed ? { kind: 'unknown', error: failed.error } : { kind: 'nothing' };
  // The provider resolves an ALIAS or a flattened CNAME to the addresses of our target.
  const isOurs = seen.every((address) => isOneOf(address, ours.addresses));
  if (!isOurs && !expected.isApex && !ours.hasFailed) return { kind: 'addresses', ...addresses };
  // To compare, all of them must be known.
  if (failed !== undefined) return { kind: 'unknown', error: failed.error };
  if (isOurs) return { kind: 'matches', by: 'address' };
  // Another address may be one of the target that is not listed.
  return ours.error === null ? { kind: 'addresses', ...addresses } : { kind: 'unknown', error: ours.error };
}

/** Evaluates a CNAME and addresses at the same name. A provider may add the addresses of our target, which do not conflict. */
function evaluateCname(
  chain: Exclude<Chain, { kind: 'failed' }>,
  { a, aaaa }: Addresses,
  ours: TargetAddresses,
): ServerVerdict {
  const isOther = (address: string) => !isOneOf(address, ours.addresses);
  const conflicting = { a: a.filter(isOther), aaaa: aaaa.filter(isOther) };
  if (chain.kind === 'ended') return { kind: 'chain', hops: chain.hops, conflicting };
  if (conflicting.a.length + conflicting.aaaa.length === 0) return { kind: 'matches', by: 'target' };
  return ours.hasFailed ? { kind: 'unknown', error: ours.error ?? '' } : { kind: 'conflicting', conflicting };
}

/**
 * Our addresses. Resolvers can return a part of those of the target, or others than the servers of the zone got: so listed ones
 * count as well.
 */
export function targetAddressesOf(
  { lookups }: DnsFindings,
  { targetHost, addresses: listed = [] }: Pick<ExpectedDns, 'targetHost' | 'addresses'>,
): TargetAddresses {
  const answers = lookups.filter(({ name }) => name === targetHost).map(({ answer }) => answer);
  const answered = answers.flatMap(valuesOf);
  const addresses = [...new Set([...listed, ...answered])];
  if (answered.length > 0) return { addresses, error: null, hasFailed: false };
  const failed = answers.find((answer) => answer.kind === 'failed');
  if (failed !== undefined) return { addresses, error: failed.error, hasFailed: true };
  return { addresses, error: addresses.length > 0 ? null : `${targetHost} has no address`, hasFailed: false };
}

/** Longer chains are a loop or a mistake; resolvers give up at about the same length. */
const MAX_CHAIN = 8;

/** The end of the CNAME chain of a name. `hops` is empty without a CNAME. */
export type Chain =
  | { readonly kind: 'reached' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'ended'; readonly hops: readonly string[] };

/**
 * Follows CNAMEs from the name until the exact target. If servers disagree about a hop, all paths are followed, and one that
 * does not reach the target determines the result.
 */
export function followChain(view: DnsView, { name, targetHost }: ExpectedDns): Chain {
  const paths = new Map<string, readonly string[]>([[name, []]]);
  const target = hostOf(targetHost);
  let failure: string | null = null;
  // The iteration of a map includes the entries that are added during it.
  for (const [at, hops] of paths) {
    const answers = view.answersTo(at, 'CNAME');
    const answered = answers.filter((answer) => answer.kind !== 'failed');
    const failed = answers.find((answer) => answer.kind === 'failed');
    if (answered.length === 0 && failed !== undefined) failure ??= failed.error;
    if (answers.length === 0) return { kind: 'ended', hops };
    for (const answer of answered) {
      if (answer.kind === 'absent') return { kind: 'ended', hops };
      // A name with more CNAMEs than are known is invalid and does not lead here.
      if (answer.omitted !== undefined)
        return { kind: 'ended', hops: [...hops, ...answer.records.slice(0, 1).map(({ value }) => hostOf(value))] };
      for (const next of answer.records.map(({ value }) => hostOf(value))) {
        if (next === target) continue;
        const isLoop = next === name || hops.includes(next);
        if (isLoop || hops.length + 1 >= MAX_CHAIN) return { kind: 'ended', hops: [...hops, next] };
        if (!paths.has(next)) paths.set(next, [...hops, next]);
      }
    }
  }
  return failure === null ? { kind: 'reached' } : { kind: 'failed', error: failure };
}

/** Whether an address is in a list, regardless of its spelling. */
export function isOneOf(address: string, addresses: readonly string[]): boolean {
  return addresses.some((other) => isSameAddress(address, other));
}
