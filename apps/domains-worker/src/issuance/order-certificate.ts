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
  /** Once a preflight has chosen it. */
  method?: ChallengeMethod;
}

/** How the CA is shown that we control the name. */
export interface ControlProof {
  readonly method: ChallengeMethod;
  /** Makes the answers to challenges visible, by their tokens. @returns removes them; it never throws */
  readonly publish: (tokens: readonly string[]) => Promise<() => Promise<void>>;
}

export interface CertificateRequest extends OrderOptions {
  readonly name: string;
  readonly csrPem: string;
}

/**
 * One complete order (RFC 8555 §7.4): request it, prove control of the name, finalize, download the chain.
 * @returns the chain as the CA returned it
 * @throws CaError when the CA refuses
 */
export async function orderCertificate(
  account: AcmeAccount,
  request: CertificateRequest,
  { control, progress }: { readonly control: ControlProof; readonly progress: Progress },
  signal: AbortSignal,
): Promise<string> {
  progress.stage = 'order';
  progress.ordered = true;
  const order = await placeOrder(account, request, signal);
  progress.stage = 'challenge';
  const proven = await proveControl(account, order, control, signal);
  progress.stage = 'finalize';
  const valid = await finalize(account, proven, request.csrPem, signal);
  progress.stage = 'chain';
  return account.downloadChain(valid, signal);
}

/** Leaves out options that the CA refuses: the certificate matters more. */
async function placeOrder(account: AcmeAccount, request: CertificateRequest, signal: AbortSignal): Promise<Order> {
  let options: OrderOptions = request;
  for (;;) {
    try {
      return await account.newOrder(request.name, options, signal);
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
 * published together, and removed in any case.
 */
async function proveControl(
  account: AcmeAccount,
  order: Order,
  control: ControlProof,
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
      for (const authorization of open) await proveAuthorization(account, authorization, signal);
    } finally {
      await remove();
    }
  }
  return { ...order, status: 'ready' };
}

interface OpenAuthorization {
  readonly url: string;
  readonly authorization: Authorization;
  readonly challenge: { readonly url: string; readonly token: string };
}

function challengeOf({ challenges }: Authorization, { method }: ControlProof): OpenAuthorization['challenge'] {
  const challenge = challenges.find(({ type }) => type === method);
  if (challenge?.token === undefined) throw new CaError(plainProblem(`the CA offers no ${method} challenge`));
  return { url: challenge.url, token: challenge.token };
}

async function proveAuthorization(
  account: AcmeAccount,
  { url, authorization, challenge }: OpenAuthorization,
  signal: AbortSignal,
): Promise<void> {
  const { retryAt } = await account.answerChallenge(challenge.url, signal);
  const poll = () => account.readAuthorization(url, signal);
  assertValid(await pollCa({ value: authorization, retryAt }, poll, (value) => !isOpen(value), signal));
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

async function finalize(account: AcmeAccount, order: Order, csrPem: string, signal: AbortSignal): Promise<Order> {
  const decided = await pollCa(
    await beginFinalizing(account, order, csrPem, signal),
    () => account.readOrder(order.url, signal),
    ({ status }) => status === 'valid' || status === 'invalid',
    signal,
  );
  return assertNotInvalid(decided);
}

/** A distributed CA may answer `orderNotReady` for an order that is ready; then it is read until it is ready there too. */
async function beginFinalizing(
  account: AcmeAccount,
  order: Order,
  csrPem: string,
  signal: AbortSignal,
): Promise<CaAnswer<Order>> {
  let answer: CaAnswer<Order> = { value: order, retryAt: null };
  for (let attempt = 1; answer.value.status === 'ready'; attempt += 1) {
    try {
      return await account.finalize(order, csrPem, signal);
    } catch (error) {
      if (!isProblem(error, problemType.orderNotReady) || attempt === FINALIZE_ATTEMPTS) throw error;
    }
    await pause(FINALIZE_PAUSE_MS, signal);
    signal.throwIfAborted();
    const poll = () => account.readOrder(order.url, signal);
    answer = { value: await pollCa(await poll(), poll, ({ status }) => status !== 'pending', signal), retryAt: null };
  }
  return answer;
}

const POLL_DELAY = { firstMs: 20, maxMs: 2_000 };
/** An attempt does not wait longer than this for one answer. */
const MAX_WAIT_MS = 30_000;

/**
 * Polls until the answer is final: quickly at first, since a person waits for the result, but never sooner than the CA
 * allows.
 * @param answer the latest answer of the CA
 * @throws CaError when the CA refuses, or with the time to retry when it asks for too long a wait
 */
async function pollCa<T>(
  answer: CaAnswer<T>,
  poll: () => Promise<CaAnswer<T>>,
  isFinal: (value: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let polls = 1; !isFinal(answer.value); polls += 1) {
    const requestedMs = answer.retryAt === null ? 0 : answer.retryAt.getTime() - Date.now();
    if (requestedMs > MAX_WAIT_MS) {
      const problem = plainProblem('the CA has not finished and asks to retry later');
      throw new CaError({ ...problem, retryAt: answer.retryAt?.toISOString() ?? null });
    }
    await pause(Math.max(exponentialDelayMs(POLL_DELAY, polls), requestedMs), signal);
    signal.throwIfAborted();
    answer = await poll();
  }
  return answer.value;
}

function assertNotInvalid(order: Order): Order {
  if (order.status === 'invalid') throw failureOf(order.error, 'the order became invalid');
  return order;
}

/** @param error the problem document of the CA, if there is one */
function failureOf(error: object | undefined, otherwise: string): CaError {
  if (error === undefined) return new CaError(plainProblem(otherwise));
  const status = 'status' in error && Number.isInteger(error.status) ? Number(error.status) : null;
  return new CaError(readProblem(error, status, null, new Date()));
}
