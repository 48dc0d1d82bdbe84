import { Injectable } from '@nestjs/common';
import type { ChallengeMethod, DomainEvents, DomainJobs, PreflightFindings } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns } from '@pets/dns';
import { evaluateCaa } from '@pets/domains';
import type { Order } from '../certificate-authority/acme-resources.js';
import type { CaAnswer } from '../certificate-authority/acme-server.js';
import { AccountAnnouncer, CaAccounts, type OpenAccount } from '../certificate-authority/ca-accounts.js';
import { CaError, isProblem, isTransient, problemType, toCaProblem } from '../certificate-authority/ca-problem.js';
import { ChallengeDns } from '../challenges/challenge-dns.js';
import { ChallengeHandlers, type ChallengeContext, type ChallengeHandler } from '../challenges/challenge-handlers.js';
import { EventSender } from '../events/event-sender.js';
import { validateChain } from './check-chain.js';
import {
  completeOrder,
  orderCertificate,
  OrderEndedError,
  OrderUnfinishedError,
  type ControlProof,
  type PlacedOrder,
  type Progress,
} from './order-certificate.js';

type Subject = Pick<DomainJobs['issue-certificate'], 'expected' | 'methods'>;
type MethodFindings = Pick<PreflightFindings, 'caa' | 'reachability' | 'challengeError'>;

/** The handler whose challenge can succeed, or why there is none: the findings are those of the preferred method. */
type PreflightResult =
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

type Job = DomainJobs['issue-certificate'];
type OrderToContinue = NonNullable<Job['order']>;
type Failure = Pick<DomainEvents['certificate.failed'], 'stage' | 'ordered' | 'method' | 'problem' | 'gate' | 'order'>;
type Issued = Pick<DomainEvents['certificate.issued'], 'chainPem' | 'method'>;
type Outcome = Issued | Pick<DomainEvents['certificate.pending'], 'retryAt'> | { readonly failure: Failure };

/** The records of the name, CAA or our own servers do not allow an order. */
class PreflightError extends Error {
  constructor(readonly findings: PreflightFindings) {
    super('the preflight failed');
  }
}

/** An order cannot be continued: the CA does not know it any more, or it must not be finalized. */
class OrderGoneError extends Error {}

/**
 * One attempt at a certificate: account, preflight, order, and one event with the result. Nothing is kept between attempts. The
 * API is notified of an order before it is finalized, and the job of the next attempt names it. So an order outlives its job
 * and this process: the next attempt reads its state from the CA (RFC 8555 §7.1.6) and continues.
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
    const event = eventOf(job);
    if ('chainPem' in outcome) return this.events.send('certificate.issued', { ...event, ...outcome }, signal);
    if ('retryAt' in outcome) return this.events.send('certificate.pending', { ...event, ...outcome }, signal);
    await this.events.send('certificate.failed', { ...event, ...outcome.failure }, signal);
  }

  private async attempt(job: Job, signal: AbortSignal): Promise<Outcome> {
    const progress: Progress = { stage: 'account', ordered: false, isContinuable: false, method: null };
    try {
      const { chainPem, method } =
        job.order === null
          ? await this.orderNew(job, progress, signal)
          : await this.continueOrder(job, job.order, progress, signal);
      const fault = validateChain(chainPem, job.expected.name, job.csrPem, new Date());
      if (fault !== null) throw new Error(`the CA returned an unusable chain: ${fault}`);
      return { chainPem, method };
    } catch (error) {
      return outcomeOf(error, progress, signal);
    }
  }

  private async orderNew(job: Job, progress: Progress, signal: AbortSignal): Promise<Issued> {
    const account = await this.accounts.ensure(job, signal);
    progress.stage = 'gate';
    if (job.clearedHost !== null) await this.challenges.clear(job.clearedHost, signal);
    const handler = await this.choose(job, account, signal);
    const { method } = handler;
    progress.method = method;
    return { chainPem: await this.order(job, handler, progress, signal), method };
  }

  /**
   * An order that was finalized is read to its end, whatever has become of the name. Any other is as good as a new one: the
   * preflight runs again.
   */
  private async continueOrder(
    job: Job,
    placed: OrderToContinue,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<Issued> {
    const [method = 'http-01'] = job.methods; // that of the order, the only one
    Object.assign(progress, { ordered: true, isContinuable: true, method } satisfies Partial<Progress>);
    const account = await this.accounts.ensure(job, signal);
    progress.stage = 'order';
    const answer = await this.readOrder(job, account, placed.url, signal);
    const { status } = answer.value;
    const isFinalized = status !== 'pending' && status !== 'ready';
    const completion = { csrPem: job.csrPem, progress };
    if (isFinalized) {
      const read = { ...completion, control: { method, publish: noChallenges }, maxWaitMs: 0 };
      return { chainPem: await completeOrder(account.client, answer, read, signal), method };
    }
    if (placed.isReadOnly) throw new OrderGoneError('the order was not finalized, and must not be');
    progress.stage = 'gate';
    const control = this.controlOf(job, await this.choose(job, account, signal), account, signal);
    return { chainPem: await completeOrder(account.client, answer, { ...completion, control }, signal), method };
  }

  /** @throws OrderGoneError when the CA has lost the order, or its account, as test CAs do in a restart */
  private async readOrder(
    job: Job,
    { client }: OpenAccount,
    url: string,
    signal: AbortSignal,
  ): Promise<CaAnswer<Order>> {
    try {
      return await client.readOrder(url, signal);
    } catch (error) {
      if (!(error instanceof CaError) || isTransient(error.problem)) throw error;
      if (error.problem.type === problemType.accountDoesNotExist) this.accounts.forget(job);
      throw new OrderGoneError(error.message, { cause: error });
    }
  }

  /** @throws PreflightError when no method passes */
  private async choose(job: Job, account: OpenAccount, signal: AbortSignal): Promise<ChallengeHandler> {
    const preflight = await this.preflight.check(job, account, signal);
    signal.throwIfAborted();
    if (!preflight.passed) throw new PreflightError(preflight.findings);
    return preflight.handler;
  }

  private controlOf(
    { expected }: Job,
    handler: ChallengeHandler,
    { thumbprint }: OpenAccount,
    signal: AbortSignal,
  ): ControlProof {
    const publish = (tokens: readonly string[]) => {
      const keyAuthorizations = tokens.map((token) => `${token}.${thumbprint}`);
      return handler.publish(expected, keyAuthorizations, signal);
    };
    return { method: handler.method, publish };
  }

  /**
   * A CA may lose the account, as test CAs do in a restart. If the new order fails for it, the account is registered again
   * and the order is repeated. After that there is an order already, and the next attempt starts again.
   */
  private async order(job: Job, handler: ChallengeHandler, progress: Progress, signal: AbortSignal): Promise<string> {
    const { expected, csrPem, profile, replaces } = job;
    const request = { name: expected.name, csrPem, profile, replaces };
    const orderFrom = (account: OpenAccount) => {
      const control = this.controlOf(job, handler, account, signal);
      const onOrdered = (placed: PlacedOrder) => this.announce(job, placed, handler.method, progress, signal);
      return orderCertificate(account.client, request, { control, progress }, onOrdered, signal);
    };
    try {
      return await orderFrom(await this.accounts.ensure(job, signal));
    } catch (error) {
      if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
      this.accounts.forget(job);
      if (progress.stage !== 'order') throw error;
    }
    Object.assign(progress, { stage: 'account', ordered: false } satisfies Partial<Progress>);
    const account = await this.accounts.ensure(job, signal);
    await this.announcer.announce(account, signal);
    return orderFrom(account);
  }

  /** Reports the order before anything else is done with it: an order that the API does not know cannot be continued. */
  private async announce(
    job: Job,
    { order: { url, expires }, replaces }: PlacedOrder,
    method: ChallengeMethod,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const expiresAt = expires === undefined ? null : new Date(expires).toISOString();
    const event = { ...eventOf(job), method, orderUrl: url, expires: expiresAt, replaces };
    await this.events.send('certificate.ordered', event, signal);
    progress.isContinuable = true;
  }
}

const noChallenges = () => Promise.resolve(() => Promise.resolve());

function eventOf({ domainId, generation, attempt, directoryUrl }: Job) {
  return { domainId, generation, attempt, directoryUrl };
}

function outcomeOf(error: unknown, progress: Progress, signal: AbortSignal): Outcome {
  const { stage, ordered, method, isContinuable } = progress;
  const order = isContinuable ? 'open' : null;
  if (error instanceof PreflightError)
    return { failure: { stage: 'gate', ordered, method: null, problem: null, gate: error.findings, order } };
  if (isContinuable && error instanceof OrderUnfinishedError) return { retryAt: error.retryAt?.toISOString() ?? null };
  const problem = toCaProblem(error, signal);
  const failure = { stage, ordered, method, problem, gate: null, order: null };
  if (error instanceof OrderGoneError) return { failure: { ...failure, order: 'gone' } };
  if (!(error instanceof CaError)) return isContinuable && signal.aborted ? { retryAt: null } : { failure };
  const isEnded = error instanceof OrderEndedError || !isTransient(problem);
  return { failure: isEnded ? failure : { ...failure, order } };
}
