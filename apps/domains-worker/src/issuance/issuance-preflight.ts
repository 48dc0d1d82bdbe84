import { Injectable } from '@nestjs/common';
import type { DomainJobs, PreflightFindings } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns } from '@pets/dns';
import { evaluateCaa } from '@pets/domains';
import type { OpenAccount } from '../certificate-authority/ca-accounts.js';
import { ChallengeHandlers, type ChallengeContext, type ChallengeHandler } from '../challenges/challenge-handlers.js';

type Subject = Pick<DomainJobs['issue-certificate'], 'expected' | 'methods'>;
type MethodFindings = Pick<PreflightFindings, 'caa' | 'reachability' | 'challengeError'>;

/** The handler whose challenge can succeed, or why there is none: the findings are those of the preferred method. */
export type PreflightResult =
  | { readonly passed: true; readonly handler: ChallengeHandler }
  | { readonly passed: false; readonly findings: PreflightFindings };

/**
 * The checks before an order, without caches, for each method until one passes: the records of the name are those that the
 * method needs, CAA permits the CA and the method, and the answer to a challenge can be shown. A failure at the CA counts
 * against the limits of the name and the account; a failed check costs nothing.
 */
@Injectable()
export class IssuancePreflight {
  constructor(
    private readonly dns: DnsServers,
    private readonly handlers: ChallengeHandlers,
  ) {}

  async check({ expected, methods }: Subject, account: OpenAccount, signal: AbortSignal): Promise<PreflightResult> {
    const check = this.dns.open(signal);
    const [dns, caaLookups] = await Promise.all([gatherDns(check, expected, new Date()), gatherCaa(check, expected)]);
    const { accountUrl, caaIdentities: identities, thumbprint } = account;
    const context = { expected, dns, check, thumbprint };
    const failures: MethodFindings[] = [];
    for (const handler of this.handlers.of(methods)) {
      const { method } = handler;
      const caa = () => evaluateCaa(caaLookups, expected.name, { identities, accountUrl, method });
      const failure = await checkMethod(handler, context, caa, signal);
      if (failure === null) return { passed: true, handler };
      failures.push(failure);
    }
    const [preferred = notChecked] = failures;
    return { passed: false, findings: { dns, ...preferred, methods: [...methods] } };
  }
}

/** The findings of a method whose other checks have not run. */
const notChecked: MethodFindings = { caa: null, reachability: [], challengeError: null };

/** Null if the method passes. */
async function checkMethod(
  handler: ChallengeHandler,
  context: ChallengeContext,
  evaluate: () => NonNullable<PreflightFindings['caa']>,
  signal: AbortSignal,
): Promise<MethodFindings | null> {
  if (!handler.isPossible(context.dns, context.expected)) return notChecked;
  const caa = evaluate();
  if (caa.kind !== 'permits') return { ...notChecked, caa };
  const { passed, ...findings } = await handler.check(context, signal);
  return passed ? null : { caa, ...findings };
}
