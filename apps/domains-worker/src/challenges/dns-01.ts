import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { DnsFindings, ExpectedDns } from '@pets/contracts';
import type { TxtPropagation } from '@pets/dns';
import { evaluateDelegation, failureText } from '@pets/domains';
import type { Logger } from '@pets/platform';
import { CaError, plainProblem, problemType } from '../certificate-authority/ca-problem.js';
import { LOG } from '../providers.js';
import { ChallengeDns, type ChallengeRecords } from './challenge-dns.js';
import type { ChallengeContext, ChallengeFindings, ChallengeHandler } from './challenge-handler.js';

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
