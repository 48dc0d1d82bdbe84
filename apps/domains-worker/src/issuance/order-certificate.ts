import { exponentialDelayMs, pause } from '@pets/async';
import type { ChallengeMethod, DomainEvents } from '@pets/contracts';
import type { AcmeAccount, OrderOptions } from '../certificate-authority/acme-account.js';
import type { Authorization, Order } from '../certificate-authority/acme-resources.js';
import type { CaAnswer } from '../certificate-authority/acme-server.js';
import { CaError, isProblem, plainProblem, problemType, readProblem } from '../certificate-authority/ca-problem.js';

/** The progress of an attempt, which a failure reports. */
export interface Progress {
  stage: DomainEvents['certificate.failed']['stage'];
  /** Whether an order was requested: from then on the attempt counts against the limits of the CA. */
  ordered: boolean;
  /** Whether the API knows the order, so that a later attempt can continue it. */
  isContinuable: boolean;
  /** Null until a preflight has chosen it. */
  method: ChallengeMethod | null;
}

/** How the CA is shown that we control the name. */
export interface ControlProof {
  readonly method: ChallengeMethod;
  /**
   * Makes the answers to challenges visible, by their tokens. @returns removes them; it never throws. It is not called while
   * the CA has not finished: the next attempt publishes the same answers.
   */
  readonly publish: (tokens: readonly string[]) => Promise<() => Promise<void>>;
}

export interface CertificateRequest extends OrderOptions {
  readonly name: string;
  readonly csrPem: string;
}

/** An order, and how it is completed. */
interface Completion {
  readonly csrPem: string;
  readonly control: ControlProof;
  readonly progress: Progress;
  /** How long to wait for a CA that has not finished; by default as long as an attempt allows. */
  readonly maxWaitMs?: number;
}

/**
 * One complete order (RFC 8555 §7.4): request it, prove control of the name, finalize, download the chain.
 * @param onOrdered is called before anything else is done with the order
 * @returns the chain as the CA returned it
 * @throws CaError when the CA refuses
 * @throws OrderUnfinishedError when the CA needs longer than an attempt waits
 */
export async function orderCertificate(
  account: AcmeAccount,
  request: CertificateRequest,
  { control, progress }: Pick<Completion, 'control' | 'progress'>,
  onOrdered: (placed: PlacedOrder) => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  progress.stage = 'order';
  progress.ordered = true;
  const placed = await placeOrder(account, request, signal);
  await onOrdered(placed);
  const answer = { value: placed.order, retryAt: null };
  return completeOrder(account, answer, { csrPem: request.csrPem, control, progress }, signal);
}

/** Completes an order that the CA has returned, in whatever state it is. Throws as `orderCertificate`. */
export async function completeOrder(
  account: AcmeAccount,
  { value: order, retryAt }: CaAnswer<Order>,
  { csrPem, control, progress, ...limits }: Completion,
  signal: AbortSignal,
): Promise<string> {
  const { maxWaitMs = progress.isContinuable ? CONTINUED_AFTER_MS : MAX_WAIT_MS } = limits;
  progress.stage = order.status === 'pending' ? 'challenge' : 'finalize';
  const proven = await proveControl(account, order, control, maxWaitMs, signal);
  progress.stage = 'finalize';
  const valid = await finalize(account, { value: proven, retryAt }, csrPem, maxWaitMs, signal);
  progress.stage = 'chain';
  return account.downloadChain(valid, signal);
}

/** An order that the CA has accepted, and the certificate that it replaces there. */
export interface PlacedOrder {
  readonly order: Order;
  readonly replaces: string | null;
}

/** Leaves out options that the CA refuses: the certificate matters more. */
async function placeOrder(
  account: AcmeAccount,
  request: CertificateRequest,
  signal: AbortSignal,
): Promise<PlacedOrder> {
  let options: OrderOptions = request;
  for (;;) {
    try {
      return { order: await account.newOrder(request.name, options, signal), replaces: options.replaces };
    } catch (error) {
      const remaining = withoutRefused(options, error);
      if (remaining === undefined) throw error;
      options = remaining;
    }
  }
}

/** The certificate to replace may be replaced already (RFC 9773 §5), unknown, or of another account. */
const replacementRefusals = [problemType.alreadyReplaced, problemType.malformed, problemType.unauthorized];

function withoutRefused(options: OrderOptions, error: unknown): OrderOptions | undefined {
  if (options.profile !== null && isProblem(error, problemType.invalidProfile)) return { ...options, profile: null };
  if (options.replaces === null || !replacementRefusals.some((type) => isProblem(error, type))) return undefined;
  return { ...options, replaces: null };
}

/**
 * A CA may return an earlier order, in any state. An order whose authorizations are all valid is ready (RFC 8555 §7.1.6), so
 * it is not read again. An authorization may be valid from an earlier order of the account. The answers to all others are
 * published together, and removed when the CA has decided.
 */
async function proveControl(
  account: AcmeAccount,
  order: Order,
  control: ControlProof,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<Order> {
  if (order.status !== 'pending') return assertNotInvalid(order);
  const open: OpenAuthorization[] = [];
  for (const url of order.authorizations) {
    const { value } = await account.readAuthorization(url, signal);
    if (isOpen(value)) open.push({ url, authorization: value, challenge: challengeOf(value, control) });
    else assertValid(value);
  }
  if (open.length > 0) {
    const remove = await control.publish(open.map(({ challenge }) => challenge.token));
    try {
      for (const authorization of open) await proveAuthorization(account, authorization, maxWaitMs, signal);
    } catch (error) {
      if (!(error instanceof OrderUnfinishedError)) await remove();
      throw error;
    }
    await remove();
  }
  return { ...order, status: 'ready' };
}

interface OpenAuthorization {
  readonly url: string;
  readonly authorization: Authorization;
  readonly challenge: { readonly url: string; readonly token: string; readonly isAnswered: boolean };
}

function challengeOf({ challenges }: Authorization, { method }: ControlProof): OpenAuthorization['challenge'] {
  const challenge = challenges.find(({ type }) => type === method);
  if (challenge?.token === undefined) throw new OrderEndedError(plainProblem(`the CA offers no ${method} challenge`));
  return { url: challenge.url, token: challenge.token, isAnswered: challenge.status === 'processing' };
}

async function proveAuthorization(
  account: AcmeAccount,
  { url, authorization, challenge }: OpenAuthorization,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const retryAt = challenge.isAnswered ? null : (await account.answerChallenge(challenge.url, signal)).retryAt;
  const poll = () => account.readAuthorization(url, signal);
  const isDecided = (value: Authorization) => !isOpen(value);
  assertValid(await pollCa({ value: authorization, retryAt }, poll, { isFinal: isDecided, maxWaitMs }, signal));
}

function assertValid({ status, challenges }: Authorization): void {
  if (status === 'valid') return;
  const failed = challenges.find(({ error }) => error !== undefined);
  throw failureOf(failed?.error, `the authorization is ${status}`);
}

function isOpen({ status }: Authorization): boolean {
  return status === 'pending' || status === 'processing';
}

const FINALIZE_ATTEMPTS = 3;
const FINALIZE_PAUSE_MS = 500;

async function finalize(
  account: AcmeAccount,
  proven: CaAnswer<Order>,
  csrPem: string,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<Order> {
  const isFinal = ({ status }: Order) => status === 'valid' || status === 'invalid';
  const begun = await beginFinalizing(account, proven, csrPem, maxWaitMs, signal);
  const poll = () => account.readOrder(proven.value.url, signal);
  return assertNotInvalid(await pollCa(begun, poll, { isFinal, maxWaitMs }, signal));
}

/** A distributed CA may answer `orderNotReady` for an order that is ready; then it is read until it is ready there too. */
async function beginFinalizing(
  account: AcmeAccount,
  proven: CaAnswer<Order>,
  csrPem: string,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<CaAnswer<Order>> {
  let answer = proven;
  for (let attempt = 1; answer.value.status === 'ready'; attempt += 1) {
    try {
      return await account.finalize(proven.value, csrPem, signal);
    } catch (error) {
      if (!isProblem(error, problemType.orderNotReady) || attempt === FINALIZE_ATTEMPTS) throw error;
    }
    await pause(FINALIZE_PAUSE_MS, signal);
    signal.throwIfAborted();
    const poll = () => account.readOrder(proven.value.url, signal);
    const isFinal = ({ status }: Order) => status !== 'pending';
    answer = { value: await pollCa(await poll(), poll, { isFinal, maxWaitMs }, signal), retryAt: null };
  }
  return answer;
}

function assertNotInvalid(order: Order): Order {
  if (order.status === 'invalid') throw failureOf(order.error, 'the order became invalid');
  return order;
}

/** @param error the problem document of the CA, if there is one */
function failureOf(error: object | undefined, otherwise: string): OrderEndedError {
  if (error === undefined) return new OrderEndedError(plainProblem(otherwise));
  const status = 'status' in error && Number.isInteger(error.status) ? Number(error.status) : null;
  return new OrderEndedError(readProblem(error, status, null, new Date()));
}

/** The CA has not finished, and a later attempt can ask again. */
export class OrderUnfinishedError extends CaError {
  /** @param retryAt the time before which the CA wants no request; null if it named none */
  constructor(readonly retryAt: Date | null) {
    const problem = plainProblem('the CA has not finished and asks to retry later');
    super({ ...problem, retryAt: retryAt?.toISOString() ?? null });
  }
}

/** The CA has decided: the order gives no certificate. */
export class OrderEndedError extends CaError {}

const POLL_DELAY = { firstMs: 20, maxMs: 2_000 };

/** How long an attempt waits for the CA if a later one can continue the order: a slow CA must not occupy workers. */
const CONTINUED_AFTER_MS = 5_000;
/** How long it waits otherwise. */
const MAX_WAIT_MS = 30_000;

/**
 * Polls until the answer is final: quickly at first, since a person waits for the result, but never sooner than the CA
 * allows.
 * @param answer the latest answer of the CA
 * @throws CaError when the CA refuses
 * @throws OrderUnfinishedError when the wait is, or would be, longer than `maxWaitMs`
 */
async function pollCa<T>(
  answer: CaAnswer<T>,
  poll: () => Promise<CaAnswer<T>>,
  { isFinal, maxWaitMs }: { readonly isFinal: (value: T) => boolean; readonly maxWaitMs: number },
  signal: AbortSignal,
): Promise<T> {
  const endsAtMs = performance.now() + maxWaitMs;
  for (let polls = 1; !isFinal(answer.value); polls += 1) {
    const requestedMs = answer.retryAt === null ? 0 : answer.retryAt.getTime() - Date.now();
    const delayMs = Math.max(exponentialDelayMs(POLL_DELAY, polls), requestedMs);
    if (performance.now() + delayMs > endsAtMs) throw new OrderUnfinishedError(answer.retryAt);
    await pause(delayMs, signal);
    signal.throwIfAborted();
    answer = await poll();
  }
  return answer.value;
}
