import type { DomainIssue } from '@pets/contracts';
import type { OwnershipVerdict } from '../dns/evaluate-ownership.js';
import { explainTokenNearMiss, type NearMiss } from '../dns/near-miss.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { displayNameOf } from '../names/unicode-name.js';
import { fitsInDns } from '../names/required-hosts.js';

export interface OwnershipFacts {
  readonly verdict: OwnershipVerdict;
  readonly host: string;
  readonly token: string;
}

export interface ClaimFacts {
  readonly name: string;
  /** Whether another organization has the name verified or live. */
  readonly isClaimedElsewhere: boolean;
  /** From the same check; null if no proof of ownership is required. */
  readonly ownership: OwnershipFacts | null;
}

/** Whether a name can be verified: it is free, it moves here from another organization, or it has to wait. */
export type ClaimVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'takes_over' }
  | { readonly kind: 'waits'; readonly issues: readonly DomainIssue[] };

/**
 * Evaluates an organization's claim to a name. Records that point here do not prove ownership against another organization;
 * that requires the TXT record, found by the same check. An older one may be from a previous owner.
 */
export function evaluateClaim({ name, isClaimedElsewhere, ownership }: ClaimFacts): ClaimVerdict {
  if (ownership?.verdict.kind === 'proven') return { kind: isClaimedElsewhere ? 'takes_over' : 'free' };
  const issues = ownership === null ? [] : unprovenIssues(ownership);
  if (!isClaimedElsewhere) return issues.length === 0 ? { kind: 'free' } : { kind: 'waits', issues };
  const evidence = { name, ...(ownership !== null && fitsInDns(ownership.host) && { proof: ownership.host }) };
  return { kind: 'waits', issues: [...issues, describeIssue('claimed_elsewhere', evidence)] };
}

/** The issues of an ownership verdict; empty if ownership is proven. */
export function unprovenIssues({ verdict, host, token }: OwnershipFacts): readonly DomainIssue[] {
  if (verdict.kind === 'proven') return [];
  if (!fitsInDns(host)) return [describeIssue('ownership_txt_missing', { name: host, length: host.length })];
  switch (verdict.kind) {
    case 'refuted':
      return [
        describeIssue('ownership_txt_missing', { name: host, expected: token, ...explain(verdict, host, token) }),
      ];
    case 'unknown':
      return [describeIssue('resolver_failed', { errors: [verdict.error] })];
  }
}

interface Explanation extends Partial<NearMiss> {
  readonly seen?: readonly string[];
  readonly alias?: string;
  readonly wildcard?: string;
  readonly enteredAt?: string;
  /** The name of the record as it has to be entered. */
  readonly entered?: string;
}

/**
 * The values found instead of the token, and the usual mistake that explains one of them, or the record that is there or answered
 * in place of the TXT record.
 */
function explain(
  { seen = [], alias, wildcard, enteredAt }: Extract<OwnershipVerdict, { kind: 'refuted' }>,
  host: string,
  token: string,
): Explanation {
  if (enteredAt !== undefined) return explainDoubled(enteredAt, host);
  const nearMiss = seen.map((value) => explainTokenNearMiss(value, token, host)).find((found) => found !== null);
  return {
    ...(seen.length > 0 && { seen }),
    ...(nearMiss ?? explainDetour(alias, wildcard)),
    ...(alias !== undefined && { alias }),
    ...(wildcard !== undefined && { wildcard }),
  };
}

/** The complete name was entered in a form that appends the zone. */
function explainDoubled(enteredAt: string, host: string): Explanation {
  const zone = enteredAt.slice(host.length + 1);
  const entered = host.endsWith(`.${zone}`) ? host.slice(0, -(zone.length + 1)) : host;
  return {
    ...{ enteredAt, entered },
    hint: `It was created at ${displayNameOf(enteredAt)}: its name ends with the zone twice, since the DNS provider adds the zone to the name that is entered.`,
  };
}

function explainDetour(alias: string | undefined, wildcard: string | undefined): Partial<NearMiss> {
  if (wildcard !== undefined) {
    const target = alias === undefined ? '' : `, a CNAME to ${displayNameOf(alias)},`;
    return {
      hint: `The wildcard record ${displayNameOf(wildcard)}${target} answers in its place, which proves nothing. It may stay: a record of the name itself takes precedence.`,
    };
  }
  if (alias === undefined) return {};
  return {
    hint: `A CNAME to ${displayNameOf(alias)} answers in its place, which proves nothing: remove that CNAME, since no other record can exist beside it.`,
  };
}
