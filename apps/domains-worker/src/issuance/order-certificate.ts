import type { DomainEvents } from '@pets/contracts';
import type { Authorization, Order } from 'acme-client';
import type { CaAccount } from '../certificate-authority/ca-accounts.js';
import { callCa, pollCa } from '../certificate-authority/ca-call.js';
import { CaError, readProblem } from '../certificate-authority/ca-problem.js';

/** How far an attempt has come; what a failure reports. */
export interface Progress {
  stage: DomainEvents['certificate.failed']['stage'];
  /** Whether the CA was asked for an order: from then on the attempt counts at the CA. */
  ordered: boolean;
}

/**
 * One order from beginning to end (RFC 8555 §7.4). There is nothing to deploy for HTTP-01: edges answer every token of
 * a host that is being issued. Returns the chain as the CA gave it.
 * @throws CaError when the CA refuses
 */
export async function orderCertificate(
  account: CaAccount,
  { name, csrPem }: { name: string; csrPem: string },
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  progress.stage = 'order';
  progress.ordered = true;
  const order = await createOrder(account, name, signal);
  progress.stage = 'challenge';
  const ready = await proveControl(account, order, signal);
  progress.stage = 'finalize';
  const valid = await finalize(account, ready, csrPem, signal);
  progress.stage = 'chain';
  return (await callCa(signal, () => account.client.getCertificate(valid))).value;
}

async function createOrder({ client }: CaAccount, name: string, signal: AbortSignal): Promise<Order> {
  const identifiers = [{ type: 'dns', value: name }];
  return (await callCa(signal, () => client.createOrder({ identifiers }))).value;
}

/** Answers the challenges that are still open; a CA may remember that this account has proven the name. */
async function proveControl(account: CaAccount, order: Order, signal: AbortSignal): Promise<Order> {
  if (order.status !== 'pending') return assertNotInvalid(account, order, signal);
  const { client } = account;
  const { value: authorizations } = await callCa(signal, () => client.getAuthorizations(order));
  for (const authorization of authorizations.filter(({ status }) => status === 'pending')) {
    const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
    if (challenge === undefined) throw new CaError(plainProblem('the CA offers no http-01 challenge'));
    await callCa(signal, () => client.completeChallenge(challenge));
  }
  const decided = await pollCa(
    signal,
    () => client.getOrder(order),
    ({ status }) => status !== 'pending',
  );
  return assertNotInvalid(account, decided, signal);
}

async function finalize(account: CaAccount, order: Order, csrPem: string, signal: AbortSignal): Promise<Order> {
  const { client } = account;
  if (order.status === 'ready') await callCa(signal, () => client.finalizeOrder(order, csrPem));
  const decided = await pollCa(
    signal,
    () => client.getOrder(order),
    ({ status }) => status === 'valid' || status === 'invalid',
  );
  return assertNotInvalid(account, decided, signal);
}

/** The reason of an invalid order stands in the challenge that failed, or else in the order. */
async function assertNotInvalid({ client }: CaAccount, order: Order, signal: AbortSignal): Promise<Order> {
  if (order.status !== 'invalid') return order;
  const { value: authorizations } = await callCa(signal, () => client.getAuthorizations(order));
  const reason = challengeError(authorizations) ?? order.error;
  throw new CaError(
    reason === undefined
      ? plainProblem('the order became invalid')
      : readProblem(reason, statusOf(reason), null, new Date()),
  );
}

function challengeError(authorizations: readonly Authorization[]): object | undefined {
  return authorizations.flatMap(({ challenges }) => challenges).find(({ error }) => error !== undefined)?.error;
}

function statusOf(problem: object): number | null {
  return 'status' in problem && Number.isInteger(problem.status) ? Number(problem.status) : null;
}

function plainProblem(detail: string) {
  return { type: null, detail, status: null, retryAt: null };
}
