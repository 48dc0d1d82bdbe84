import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeMethod, DnsFindings, ExpectedDns, PreflightFindings } from '@pets/contracts';
import type { DnsCheck, TxtPropagation } from '@pets/dns';
import { evaluateDelegation, evaluateDns, failureText, shownAddresses } from '@pets/domains';
import type { Logger } from '@pets/platform';
import { CaError, plainProblem, problemType } from '../certificate-authority/ca-problem.js';
import type { Config } from '../config.js';
import { isReachable, tryChallengePath } from '../issuance/reachability.js';
import { CONFIG, LOG } from '../providers.js';
import { ChallengeDns, type ChallengeRecords } from './challenge-dns.js';

/** Facts by which a preflight decides whether a challenge can succeed. */
export interface ChallengeContext {
  readonly expected: ExpectedDns;
  readonly dns: DnsFindings;
  readonly check: DnsCheck;
  /** Thumbprint (RFC 7638) of the key that orders. */
  readonly thumbprint: string;
}

/** The findings of a method's own checks. */
type ChallengeFindings = Pick<PreflightFindings, 'reachability' | 'challengeError'> & {
  readonly passed: boolean;
};

/**
 * One way to show a CA that we control a name. To add a method, add its name to `challengeMethods` in contracts, write its
 * handler here, and add it to `ChallengeHandlers`.
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

/** RFC 8555 §8.3. Nothing is published for an order: edges answer every token of a host that answers challenges. */
@Injectable()
export class Http01 implements ChallengeHandler {
  readonly method = 'http-01';

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'HTTP01_PORT'>) {}

  isPossible(dns: DnsFindings, expected: ExpectedDns): boolean {
    return evaluateDns(dns, expected).kind === 'matches';
  }

  async check({ expected, dns, check, thumbprint }: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings> {
    const shown = shownAddresses(dns, expected.name, expected.addresses) ?? [];
    const path = { port: this.config.HTTP01_PORT, thumbprint, isShownByZone: hasZoneAnswered(dns, expected), shown };
    const reachability = await tryChallengePath(check.resolvers, expected, path, signal);
    return { passed: isReachable(reachability), reachability, challengeError: null };
  }

  publish(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }
}

function hasZoneAnswered({ lookups }: DnsFindings, { name }: ExpectedDns): boolean {
  return lookups.some((lookup) => lookup.isAuthoritative && lookup.name === name && lookup.answer.kind !== 'failed');
}

/** The removal has a limit of its own: the signal of an aborted job would prevent it. The job's lease is longer by more. */
const REMOVAL_LIMIT_MS = 5_000;

/**
 * RFC 8555 §8.4, with the answers in our own zone: the name is a CNAME to the target of its domain, and the CA follows it.
 * The answers are removed after the challenge, whatever its result. If this process dies before, the next attempt of the
 * domain removes them, or the first check after its removal.
 */
@Injectable()
export class Dns01 implements ChallengeHandler {
  readonly method = 'dns-01';

  constructor(
    private readonly challenges: ChallengeDns,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  isPossible(dns: DnsFindings, { delegation }: ExpectedDns): boolean {
    return delegation !== null && evaluateDelegation(dns, delegation).kind === 'delegated';
  }

  /** A signed update without changes: the name server answers, knows the key, and serves the zone. */
  async check({ expected }: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings> {
    try {
      await this.challenges.remove({ name: targetOf(expected), values: [] }, signal);
      return { passed: true, reachability: [], challengeError: null };
    } catch (error) {
      signal.throwIfAborted();
      this.log.error({ err: error }, 'challenge zone takes no updates; nothing ordered by DNS-01');
      return { passed: false, reachability: [], challengeError: failureText(error) };
    }
  }

  async publish(
    expected: ExpectedDns,
    keyAuthorizations: readonly string[],
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const records = { name: targetOf(expected), values: keyAuthorizations.map(valueOf) };
    try {
      const propagation = await this.challenges.publish(records, signal);
      const problem = problemOf(propagation);
      if (problem === null) return () => this.remove(records);
      throw new CaError({ ...plainProblem(problem), type: problemType.challengeNotPublished });
    } catch (error) {
      await this.remove(records);
      if (signal.aborted || error instanceof CaError) throw error;
      throw new CaError({ ...plainProblem(failureText(error)), type: problemType.challengeNotPublished });
    }
  }

  private async remove(records: ChallengeRecords): Promise<void> {
    try {
      await this.challenges.remove(records, AbortSignal.timeout(REMOVAL_LIMIT_MS));
    } catch (error) {
      this.log.warn({ err: error, name: records.name }, 'answers to challenges not removed');
    }
  }
}

function targetOf({ name, delegation }: ExpectedDns): string {
  if (delegation === null) throw new Error(`the challenges of ${name} are not delegated`);
  return delegation.target;
}

function valueOf(keyAuthorization: string): string {
  return createHash('sha256').update(keyAuthorization).digest('base64url');
}

function problemOf(propagation: TxtPropagation): string | null {
  switch (propagation.kind) {
    case 'complete':
      return null;
    case 'incomplete':
      return `not all name servers of the zone have the answer: ${propagation.lacking.map(({ server }) => server).join(', ')}`;
    case 'no_servers':
      return propagation.error;
  }
}

/** The methods that this worker knows. */
@Injectable()
export class ChallengeHandlers {
  private readonly known: readonly ChallengeHandler[];

  constructor(http01: Http01, dns01: Dns01) {
    this.known = [http01, dns01];
  }

  /** The handlers of some methods, in their order, without those that an API of a later version names. */
  of(methods: readonly ChallengeMethod[]): readonly ChallengeHandler[] {
    return methods.flatMap((method) => this.known.filter((handler) => handler.method === method));
  }
}
