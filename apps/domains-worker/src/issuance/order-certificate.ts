import { pause } from '@pets/async';
import type { DomainEvents } from '@pets/contracts';
import type { AcmeAccount, OrderOptions } from '../certificate-authority/acme-account.js';
import type { Authorization, Order } from '../certificate-authority/acme-resources.js';
import type { CaAnswer } from '../certificate-authority/acme-server.js';
import { CaError, isProblem, plainProblem, problemType, readProblem } from '../certificate-authority/ca-problem.js';
import { pollCa } from '../certificate-authority/poll-ca.js';

/** How far an attempt has come; what a failure reports. */
export interface Progress {
  stage: DomainEvents['certificate.failed']['stage'];
  /** Whether the CA was asked for an order: from then on the attempt counts at the CA. */
  ordered: boolean;
}

export interface CertificateRequest extends OrderOptions {
  readonly name: string;
  readonly csrPem: string;
}

/**
 * One order from beginning to end (RFC 8555 §7.4). There is nothing to deploy for HTTP-01: edges answer every token of
 * a host that is being issued. Returns the chain as the CA gave it.
 * @throws CaError when the CA refuses
 */
export async function orderCertificate(
  account: AcmeAccount,
  request: CertificateRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  progress.stage = 'order';
  progress.ordered = true;
  const order = await placeOrder(account, request, signal);
  progress.stage = 'challenge';
  const proven = await proveControl(account, order, signal);
  progress.stage = 'finalize';
  const valid = await finalize(account, proven, request.csrPem, signal);
  progress.stage = 'chain';
  return account.downloadChain(valid, signal);
}

/** What an order can do without is left out where the CA refuses it: a certificate matters more. */
async function placeOrder(account: AcmeAccount, request: CertificateRequest, signal: AbortSignal): Promise<Order> {
  let options: OrderOptions = request;
  for (;;) {
    try {
      return await account.newOrder(request.name, options, signal);
    } catch (error) {
      const fewer = withoutRefused(options, error);
      if (fewer === undefined) throw error;
      options = fewer;
    }
  }
}

/** The certificate to replace may have been replaced before (RFC 9773 §5), be unknown, or be another account's. */
const refusalsOfReplacing = [problemType.alreadyReplaced, problemType.malformed, problemType.unauthorized];

function withoutRefused(options: OrderOptions, error: unknown): OrderOptions | undefined {
  if (options.profile !== null && isProblem(error, problemType.invalidProfile)) return { ...options, profile: null };
  if (options.replaces === null || !refusalsOfReplacing.some((type) => isProblem(error, type))) return undefined;
  return { ...options, replaces: null };
}

/**
 * An order may be handed out again, at whatever state it has reached. One whose authorizations are all valid is ready
 * (RFC 8555 §7.1.6), so it is not read once more.
 */
async function proveControl(account: AcmeAccount, order: Order, signal: AbortSignal): Promise<Order> {
  if (order.status !== 'pending') return assertNotInvalid(order);
  for (const url of order.authorizations) await proveAuthorization(account, url, signal);
  return { ...order, status: 'ready' };
}

/** Answers the challenge if it is still open; a CA may remember that this account has proven the name. */
async function proveAuthorization(account: AcmeAccount, url: string, signal: AbortSignal): Promise<void> {
  let seen = await account.readAuthorization(url, signal);
  if (isOpen(seen.value)) {
    const challenge = seen.value.challenges.find(({ type }) => type === 'http-01');
    if (challenge === undefined) throw new CaError(plainProblem('the CA offers no http-01 challenge'));
    const { retryAt } = await account.answerChallenge(challenge.url, signal);
    seen = { ...seen, retryAt };
  }
  const ask = () => account.readAuthorization(url, signal);
  const decided = await pollCa(seen, ask, (authorization) => !isOpen(authorization), signal);
  if (decided.status === 'valid') return;
  const failed = decided.challenges.find(({ error }) => error !== undefined);
  throw failureOf(failed?.error, `the authorization is ${decided.status}`);
}

function isOpen({ status }: Authorization): boolean {
  return status === 'pending' || status === 'processing';
}

const FINALIZE_TRIES = 3;
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

/** The part of the CA that takes the request may not have heard yet that the order is ready; then the CA says when it is. */
async function beginFinalizing(
  account: AcmeAccount,
  order: Order,
  csrPem: string,
  signal: AbortSignal,
): Promise<CaAnswer<Order>> {
  let seen: CaAnswer<Order> = { value: order, retryAt: null };
  for (let attempt = 1; seen.value.status === 'ready'; attempt += 1) {
    try {
      return await account.finalize(order, csrPem, signal);
    } catch (error) {
      if (!isProblem(error, problemType.orderNotReady) || attempt === FINALIZE_TRIES) throw error;
    }
    await pause(FINALIZE_PAUSE_MS, signal);
    signal.throwIfAborted();
    const ask = () => account.readOrder(order.url, signal);
    seen = { value: await pollCa(await ask(), ask, ({ status }) => status !== 'pending', signal), retryAt: null };
  }
  return seen;
}

function assertNotInvalid(order: Order): Order {
  if (order.status === 'invalid') throw failureOf(order.error, 'the order became invalid');
  return order;
}

/** @param error a problem document, where the CA gives one */
function failureOf(error: object | undefined, otherwise: string): CaError {
  if (error === undefined) return new CaError(plainProblem(otherwise));
  const status = 'status' in error && Number.isInteger(error.status) ? Number(error.status) : null;
  return new CaError(readProblem(error, status, null, new Date()));
}
