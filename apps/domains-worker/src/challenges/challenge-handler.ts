import type { ChallengeMethod, DnsFindings, ExpectedDns, PreflightFindings } from '@pets/contracts';
import type { DnsCheck } from '@pets/dns';

/** What a preflight knows when it asks whether a challenge can succeed. */
export interface ChallengeContext {
  readonly expected: ExpectedDns;
  readonly dns: DnsFindings;
  readonly check: DnsCheck;
  /** Of the key of the account that orders (RFC 7638). */
  readonly thumbprint: string;
}

/** The findings of a method's own checks. */
export type ChallengeFindings = Pick<PreflightFindings, 'reachability' | 'challengeError'> & {
  readonly passed: boolean;
};

/**
 * One way to show a CA that we control a name. To add a method, add its name to `challengeMethods` in contracts, write its file
 * here, and add it to the list in `challenge-handlers.ts`.
 */
export interface ChallengeHandler {
  readonly method: ChallengeMethod;
  /** Whether the records of the name are those that the method needs. Pure. */
  isPossible(dns: DnsFindings, expected: ExpectedDns): boolean;
  /** Checks what else the challenge needs, so that no order is made that is bound to fail. Never throws for a failed check. */
  check(context: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings>;
  /**
   * Makes the answers to challenges visible to the CA.
   * @param keyAuthorizations of all open challenges of the order (RFC 8555 §8.1); there may be several for one name
   * @returns removes the answers; called once, also after a failure or an abort. It never throws.
   * @throws CaError when the answers are not visible; then nothing is left to remove
   */
  publish(
    expected: ExpectedDns,
    keyAuthorizations: readonly string[],
    signal: AbortSignal,
  ): Promise<() => Promise<void>>;
}
