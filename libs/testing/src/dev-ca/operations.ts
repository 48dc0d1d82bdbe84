/**
 * Operations of RFC 8555 §7, one function each. Each gets a request whose nonce, URL and signature have been checked,
 * and returns the answer to send; refusals are thrown as `Problem`.
 */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { z } from 'zod';
import type { AcmeContext, Answer } from './acme-context.js';
import { read, type Jwk } from './jws.js';
import {
  authorizationStatus,
  baseOf,
  chooseProfile,
  isWildcard,
  orderStatus,
  profiles,
  type Account,
  type Challenge,
  type Issued,
  type Order,
} from './orders.js';
import { Problem } from './problem.js';
import { assertCaaPermits, validateDns01, validateHttp01 } from './validation.js';
import { assertIdentifier, certificateIdentifier, readCsr, type x509 } from './x509.js';

const newAccountSchema = z.object({
  contact: z.array(z.string()).default([]),
  onlyReturnExisting: z.boolean().default(false),
});
const accountUpdateSchema = z.object({
  contact: z.array(z.string()).optional(),
  status: z.literal('deactivated').optional(),
});

/** RFC 8555 §7.3: a known key gets its account again, with 200 and the same address. */
export function newAccount(context: AcmeContext, jwk: Jwk, payload: unknown): Answer {
  const { contact, onlyReturnExisting } = read(newAccountSchema, payload, 'newAccount');
  const existing = context.store.accountOf(jwk);
  if (existing) return { status: 200, ...accountAnswer(context, existing) };
  if (onlyReturnExisting) throw new Problem('accountDoesNotExist', 'no account exists for this key');
  return { status: 201, ...accountAnswer(context, context.store.createAccount(jwk, contact)) };
}

export function account(context: AcmeContext, caller: Account, id: string, payload: unknown): Answer {
  if (id !== caller.id) throw new Problem('unauthorized', 'this is another account');
  const { contact, status } = read(accountUpdateSchema, payload ?? {}, 'account');
  if (contact) caller.contact = contact;
  if (status) caller.status = status;
  return { status: 200, ...accountAnswer(context, caller) };
}

function accountUrl({ baseUrl }: AcmeContext, { id }: Account): string {
  return `${baseUrl}/accounts/${id}`;
}

function accountAnswer(context: AcmeContext, account: Account) {
  const { status, contact } = account;
  return { headers: { location: accountUrl(context, account) }, body: { status, contact } };
}

const newOrderSchema = z.object({
  identifiers: z
    .array(z.object({ type: z.string(), value: z.string() }))
    .min(1)
    .max(100),
  profile: z.string().optional(),
  replaces: z.string().optional(),
  notBefore: z.undefined({ error: 'is not supported' }).optional(),
  notAfter: z.undefined({ error: 'is not supported' }).optional(),
});
const finalizeSchema = z.object({ csr: z.base64url() });

/** Interval of the large public CA. */
const RENEWAL_INFO_RETRY_SECONDS = 6 * 3_600;

const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function newOrder(context: AcmeContext, caller: Account, payload: unknown): Answer {
  const { identifiers, profile: wanted, replaces } = read(newOrderSchema, payload, 'newOrder');
  const names = [...new Set(identifiers.map(orderableName))];
  const profile = chooseProfile(wanted);
  const replaced = replaces === undefined ? undefined : replaceable(context, caller, replaces, names);
  const order = context.store.createOrder(caller, { names, profile, replaces }, context.clock());
  if (replaced) replaced.replacedBy = order;
  return { status: 201, ...orderAnswer(context, order) };
}

/** RFC 9773 §5: a certificate of the same account with a name of the order, that no other order replaces. */
function replaceable({ store }: AcmeContext, caller: Account, identifier: string, names: readonly string[]): Issued {
  assertIdentifier(identifier);
  const issued = store.issued(identifier);
  if (issued?.accountId !== caller.id)
    throw new Problem('malformed', `${identifier} is no certificate of this account`);
  if (!issued.names.some((name) => names.includes(name)))
    throw new Problem('malformed', `${identifier} has no name in common with the order`);
  if (issued.replacedBy && orderStatus(issued.replacedBy) !== 'invalid')
    throw new Problem('alreadyReplaced', `${identifier} is replaced by order ${issued.replacedBy.id}`);
  return issued;
}

export function order(context: AcmeContext, caller: Account, id: string): Answer {
  const found = context.store.order(id, caller);
  const answer = orderAnswer(context, found);
  return { status: 200, ...answer, headers: { ...answer.headers, ...retryAfter(context, orderStatus(found)) } };
}

/** RFC 8555 §7.4 and §7.5.1: when to ask again about what is not finished. */
function retryAfter({ delays }: AcmeContext, status: string): Record<string, string> {
  const isUnfinished = status === 'processing' || status === 'pending';
  return delays.retryAfter > 0 && isUnfinished ? { 'retry-after': String(delays.retryAfter) } : {};
}

export function authorization(context: AcmeContext, caller: Account, id: string): Answer {
  const found = context.store.authorization(id, caller);
  const body = {
    status: authorizationStatus(found),
    identifier: { type: 'dns', value: baseOf(found.name) },
    ...(isWildcard(found.name) && { wildcard: true }),
    expires: found.expiresAt.toISOString(),
    challenges: found.challenges.map((challenge) => challengeBody(context, challenge)),
  };
  return { status: 200, headers: retryAfter(context, body.status), body };
}

/** §7.5.1: a POST with an object starts the validation, whose result comes later; POST-as-GET only reads. */
export function challenge(context: AcmeContext, caller: Account, id: string, payload: unknown): Answer {
  const { authorization: of, challenge: found } = context.store.challenge(id, caller);
  if (payload !== undefined && found.status === 'pending' && authorizationStatus(of) === 'pending') {
    found.status = 'processing';
    void validate(context, caller, of.name, found);
  }
  const up = `<${context.baseUrl}/authorizations/${of.id}>;rel="up"`;
  return { status: 200, headers: { link: up }, body: challengeBody(context, found) };
}

/** §7.4: issues at once, so that the answer is the valid order already; or after the delay of `finalize`. */
export async function finalize(context: AcmeContext, caller: Account, id: string, payload: unknown): Promise<Answer> {
  const { csr } = read(finalizeSchema, payload, 'finalize');
  const found = context.store.order(id, caller);
  const status = orderStatus(found);
  if (status !== 'ready') throw new Problem('orderNotReady', `the order is ${status}, not ready`);
  const publicKey = await readCsr(Buffer.from(csr, 'base64url'), found.names);
  const delayMs = context.delays.finalize * 1_000;
  found.isFinalized = true;
  if (delayMs === 0) await issue(context, found, publicKey);
  else {
    found.finish = () => issue(context, found, publicKey);
    setTimeout(() => void found.finish?.(), delayMs).unref();
  }
  return order(context, caller, id);
}

async function issue(context: AcmeContext, found: Order, publicKey: x509.PublicKey): Promise<void> {
  const { hasCommonName, validitySeconds } = profiles[found.profile];
  const options = { hasCommonName, validitySeconds };
  const chain = await context.authority.issue(found.names, publicKey, context.clock(), options);
  if (!found.certificate) context.store.saveCertificate(found, chain);
}

export function certificate(context: AcmeContext, caller: Account, id: string): Answer {
  const body = context.store.certificate(id, caller);
  return { status: 200, body, contentType: 'application/pem-certificate-chain' };
}

/** RFC 9773 §4.2, without a signature: when to renew, and when to ask again. */
export function renewalInfo({ store }: AcmeContext, identifier: string): Answer {
  assertIdentifier(identifier);
  const issued = store.issued(identifier);
  if (!issued) throw new Problem('malformed', `there is no certificate ${identifier}`, { status: 404 });
  const { start, end, explanationUrl } = issued.window;
  const body = {
    suggestedWindow: { start: start.toISOString(), end: end.toISOString() },
    ...(explanationUrl !== undefined && { explanationURL: explanationUrl }),
  };
  return { status: 200, headers: { 'retry-after': String(RENEWAL_INFO_RETRY_SECONDS) }, body };
}

async function validate(context: AcmeContext, caller: Account, name: string, challenge: Challenge): Promise<void> {
  const keyAuthorization = `${challenge.token}.${caller.thumbprint}`;
  await setTimeoutAsync(context.delays.validate * 1_000, undefined, { ref: false });
  try {
    const { dnsServers } = context.validation;
    if (challenge.type === 'dns-01') await validateDns01({ host: baseOf(name), keyAuthorization }, dnsServers);
    else await validateHttp01({ host: name, token: challenge.token, keyAuthorization }, context.validation);
    const policy = { accountUrl: accountUrl(context, caller), method: challenge.type };
    if (!context.behaviour.ignoresCaa) await assertCaaPermits(name, policy, dnsServers);
    challenge.validatedAt = context.clock();
    challenge.status = 'valid';
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem('serverInternal', String(error));
    challenge.error = problem.toDocument();
    challenge.status = 'invalid';
  }
}

function orderableName({ type, value }: { type: string; value: string }): string {
  if (type !== 'dns') throw new Problem('unsupportedIdentifier', `identifiers of type ${type} are not supported`);
  const name = value.toLowerCase();
  if (!HOST_NAME.test(baseOf(name)))
    throw new Problem('rejectedIdentifier', `${JSON.stringify(value)} is not a host name`);
  return name;
}

function orderAnswer(context: AcmeContext, found: Order) {
  const { baseUrl } = context;
  const failed = found.authorizations.flatMap(({ challenges }) => challenges).find(({ error }) => error)?.error;
  const status = orderStatus(found);
  const body = {
    status,
    expires: found.expiresAt.toISOString(),
    profile: found.profile,
    ...(found.replaces !== undefined && { replaces: found.replaces }),
    identifiers: found.names.map((value) => ({ type: 'dns', value })),
    authorizations: found.authorizations.map(({ id }) => `${baseUrl}/authorizations/${id}`),
    finalize: `${baseUrl}/orders/${found.id}/finalize`,
    ...(found.certificate && { certificate: `${baseUrl}/certificates/${found.certificate.id}` }),
    ...(failed && { error: failed }),
  };
  const location = `${baseUrl}/orders/${found.id}`;
  return { headers: { location }, body };
}

function challengeBody({ baseUrl }: AcmeContext, { id, type, token, status, validatedAt, error }: Challenge) {
  const url = `${baseUrl}/challenges/${id}`;
  return {
    type,
    url,
    token,
    status,
    ...(validatedAt && { validated: validatedAt.toISOString() }),
    ...(error && { error }),
  };
}

/** Revocation of certificates (RFC 8555 §7.6). The CA publishes no list; tests read `DevCa.revocations`. */
/** RFC 5280 §5.3.1: those that the large public CA takes from a subscriber. */
const REASONS: readonly number[] = [0, 1, 4, 5];

const revocationSchema = z.object({ certificate: z.base64url(), reason: z.int().default(0) });

/** Revokes for the account that ordered the certificate; a request signed with the certificate's own key is refused. */
export function revokeCert({ store, clock }: AcmeContext, caller: Account, _id: string, payload: unknown): Answer {
  const { certificate, reason } = read(revocationSchema, payload, 'revokeCert');
  const issued = store.issued(identifierOf(certificate));
  if (issued === undefined) throw new Problem('malformed', 'this CA has not issued the certificate', { status: 404 });
  if (issued.accountId !== caller.id) throw new Problem('unauthorized', 'the certificate is of another account');
  if (!REASONS.includes(reason)) throw new Problem('badRevocationReason', `the reason ${reason} is not taken`);
  if (issued.revoked) throw new Problem('alreadyRevoked', 'the certificate was revoked before');
  issued.revoked = { reason, at: clock() };
  return { status: 200, body: '' };
}

export type Revocation = { readonly names: readonly string[]; readonly reason: number; readonly at: string };

export function listRevocations(issued: readonly Issued[]): Revocation[] {
  return issued.flatMap(({ names, revoked }) =>
    revoked ? [{ names, reason: revoked.reason, at: revoked.at.toISOString() }] : [],
  );
}

function identifierOf(certificate: string): string {
  try {
    return certificateIdentifier(Buffer.from(certificate, 'base64url'));
  } catch {
    throw new Problem('malformed', 'the certificate cannot be read');
  }
}
