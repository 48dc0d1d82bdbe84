import type { DnsFindings, DnsQuestionType, ExpectedDns } from '@pets/contracts';
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
  /** The lookups of each type: one can fail while the other is answered. */
  readonly a: TargetLookup;
  readonly aaaa: TargetLookup;
}

interface TargetLookup {
  /** Reason why the addresses of the target are unknown; null if they are known. */
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
  if (chain.kind === 'reached' || chain.hops.length > 0) return evaluateCname(chain, addresses, ours);

  const failed = [...a, ...aaaa].find((answer) => answer.kind === 'failed');
  if (countOf(addresses) === 0) return failed ? { kind: 'unknown', error: failed.error } : { kind: 'nothing' };
  // The provider resolves an ALIAS or a flattened CNAME to the addresses of our target.
  const { decided, foreign, error } = compare(addresses, ours, expected.isApex);
  const isForeign = countOf(foreign) > 0;
  if (isForeign && !expected.isApex) return { kind: 'addresses', ...decided };
  // To compare, all of them must be known.
  if (failed !== undefined) return { kind: 'unknown', error: failed.error };
  if (isForeign) return { kind: 'addresses', ...decided };
  return error === null ? { kind: 'matches', by: 'address' } : { kind: 'unknown', error };
}

/** Evaluates a CNAME and addresses at the same name. A provider may add the addresses of our target, which do not conflict. */
function evaluateCname(
  chain: Exclude<Chain, { kind: 'failed' }>,
  addresses: Addresses,
  ours: TargetAddresses,
): ServerVerdict {
  const { foreign, error } = compare(addresses, ours, false);
  if (chain.kind === 'ended') return { kind: 'chain', hops: chain.hops, conflicting: foreign };
  if (countOf(foreign) > 0) return { kind: 'conflicting', conflicting: foreign };
  return error === null ? { kind: 'matches', by: 'target' } : { kind: 'unknown', error };
}

interface Comparison {
  /** The addresses that are ours or foreign. */
  readonly decided: Addresses;
  readonly foreign: Addresses;
  /** Reason why other addresses are undecided: they may be of the target and not listed. Null if there are none. */
  readonly error: string | null;
}

/**
 * Compares addresses with ours. While the target could not be looked up for a type, another address of this type is no
 * evidence. At an apex, it is none either while nothing is known to compare it with.
 */
function compare({ a, aaaa }: Addresses, ours: TargetAddresses, isApex: boolean): Comparison {
  const isOurs = (address: string) => isOneOf(address, ours.addresses);
  const isOther = (address: string) => !isOurs(address);
  const errorOf = ({ error, hasFailed }: TargetLookup) => (isApex || hasFailed ? error : null);
  const errors = { a: errorOf(ours.a), aaaa: errorOf(ours.aaaa) };
  const decided = {
    a: errors.a === null ? a : a.filter(isOurs),
    aaaa: errors.aaaa === null ? aaaa : aaaa.filter(isOurs),
  };
  return {
    decided,
    foreign: { a: decided.a.filter(isOther), aaaa: decided.aaaa.filter(isOther) },
    error: (a.some(isOther) ? errors.a : null) ?? (aaaa.some(isOther) ? errors.aaaa : null),
  };
}

function countOf({ a, aaaa }: Addresses): number {
  return a.length + aaaa.length;
}

/**
 * Our addresses. Resolvers can return a part of those of the target, or others than the servers of the zone got: so listed ones
 * count as well.
 */
export function targetAddressesOf(
  { lookups }: DnsFindings,
  { targetHost, addresses: listed }: Pick<ExpectedDns, 'targetHost' | 'addresses'>,
): TargetAddresses {
  const ofTarget = lookups.filter(({ name }) => name === targetHost);
  const answered = ofTarget.flatMap(({ answer }) => valuesOf(answer));
  const addresses = [...new Set([...listed, ...answered])];
  const lookupOf = (wanted: DnsQuestionType): TargetLookup => {
    const answers = ofTarget.filter(({ type }) => type === wanted).map(({ answer }) => answer);
    const failed = answers.find((answer) => answer.kind === 'failed');
    // One resolver is enough. That a type is absent is an answer only beside an address of the other type.
    const isAnswered = answered.length > 0 && answers.some((answer) => answer.kind !== 'failed');
    if (failed !== undefined && !isAnswered) return { error: failed.error, hasFailed: true };
    return { error: addresses.length > 0 ? null : `${targetHost} has no address`, hasFailed: false };
  };
  return { addresses, a: lookupOf('A'), aaaa: lookupOf('AAAA') };
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
    if (answers.length === 0) return { kind: 'ended', hops };
    const answered = answers.filter((answer) => answer.kind !== 'failed');
    const errors = answers.flatMap((answer) => (answer.kind === 'failed' ? [answer.error] : []));
    if (answered.length === 0) failure ??= errors[0] ?? null;
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
