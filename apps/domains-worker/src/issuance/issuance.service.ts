import { Injectable } from '@nestjs/common';
import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { AccountAnnouncer } from '../certificate-authority/account-announcer.js';
import { CaAccounts, type OpenAccount } from '../certificate-authority/ca-accounts.js';
import { isProblem, problemType, toCaProblem } from '../certificate-authority/ca-problem.js';
import { ChallengeDns } from '../challenges/challenge-dns.js';
import type { ChallengeHandler } from '../challenges/challenge-handler.js';
import { EventSender } from '../events/event-sender.js';
import { validateChain } from './check-chain.js';
import { IssuancePreflight } from './issuance-preflight.js';
import { orderCertificate, type Progress } from './order-certificate.js';

type Job = DomainJobs['issue-certificate'];
type Failure = Pick<DomainEvents['certificate.failed'], 'stage' | 'ordered' | 'method' | 'problem' | 'gate'>;
type Outcome = Pick<DomainEvents['certificate.issued'], 'chainPem' | 'method'> | { readonly failure: Failure };

/**
 * One attempt at a certificate: account, preflight, order, and one event with the result. Nothing is kept between attempts.
 * After a crash during an order the next attempt orders again, and CAs return the pending order.
 */
@Injectable()
export class IssuanceService {
  constructor(
    private readonly accounts: CaAccounts,
    private readonly announcer: AccountAnnouncer,
    private readonly preflight: IssuancePreflight,
    private readonly challenges: ChallengeDns,
    private readonly events: EventSender,
  ) {}

  async issue(job: Job, signal: AbortSignal): Promise<void> {
    const outcome = await this.attempt(job, signal);
    const { domainId, generation, attempt, directoryUrl, account } = job;
    const event = { domainId, generation, attempt, directoryUrl, account };
    if ('chainPem' in outcome) return this.events.send('certificate.issued', { ...event, ...outcome }, signal);
    await this.events.send('certificate.failed', { ...event, ...outcome.failure }, signal);
  }

  private async attempt(job: Job, signal: AbortSignal): Promise<Outcome> {
    const progress: Progress = { stage: 'account', ordered: false };
    try {
      const account = await this.accounts.ensure(job, signal);
      progress.stage = 'gate';
      if (job.clearedHost !== undefined) await this.challenges.clear(job.clearedHost, signal);
      const preflight = await this.preflight.check(job, account, signal);
      signal.throwIfAborted();
      if (!preflight.passed)
        return { failure: { stage: 'gate', ordered: false, problem: null, gate: preflight.findings } };
      const { handler } = preflight;
      progress.method = handler.method;
      const chainPem = await this.order(job, handler, progress, signal);
      const fault = validateChain(chainPem, job.expected.name, job.csrPem, new Date());
      if (fault !== null) throw new Error(`the CA returned an unusable chain: ${fault}`);
      return { chainPem, method: handler.method };
    } catch (error) {
      return { failure: { ...progress, problem: toCaProblem(error, signal), gate: null } };
    }
  }

  /**
   * A CA may lose the account, as test CAs do in a restart. If the new order fails for it, the account is registered again
   * and the order is repeated. After that there is an order already, and the next attempt starts again.
   */
  private async order(job: Job, handler: ChallengeHandler, progress: Progress, signal: AbortSignal): Promise<string> {
    const { expected, csrPem, profile, replaces } = job;
    const request = { name: expected.name, csrPem, profile, replaces };
    const orderFrom = ({ client, thumbprint }: OpenAccount) => {
      const publish = (tokens: readonly string[]) => {
        const keyAuthorizations = tokens.map((token) => `${token}.${thumbprint}`);
        return handler.publish(expected, keyAuthorizations, signal);
      };
      return orderCertificate(client, request, { control: { method: handler.method, publish }, progress }, signal);
    };
    try {
      return await orderFrom(await this.accounts.ensure(job, signal));
    } catch (error) {
      if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
      this.accounts.forget(job);
      if (progress.stage !== 'order') throw error;
    }
    Object.assign(progress, { stage: 'account', ordered: false } satisfies Progress);
    const account = await this.accounts.ensure(job, signal);
    await this.announcer.announce(account, signal);
    return orderFrom(account);
  }
}
