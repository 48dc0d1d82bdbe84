/**
 * What the CA does for a signed request, one function an operation of RFC 8555 §7. Each gets a request whose nonce,
 * URL and signature have been checked, and answers what to send; refusals are thrown as `Problem`.
 */
import { z } from 'zod';
import type { CertificateAuthority } from './authority.js';
import { readCsr } from './csr.js';
import { validateHttp01, type Http01Options } from './http01.js';
import { read, type Jwk } from './jws.js';
import {
  authorizationStatus,
  orderStatus,
  type Account,
  type AcmeStore,
  type Authorization,
  type Order,
} from './orders.js';
import { Problem } from './problem.js';

export type AcmeContext = {
  readonly baseUrl: string;
  readonly store: AcmeStore;
  readonly authority: CertificateAuthority;
  readonly validation: Http01Options;
  readonly clock: () => Date;
};

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
};

const newAccountSchema = z.object({
  contact: z.array(z.string()).default([]),
  onlyReturnExisting: z.boolean().default(false),
});
const accountUpdateSchema = z.object({
  contact: z.array(z.string()).optional(),
  status: z.literal('deactivated').optional(),
});
const newOrderSchema = z.object({
  identifiers: z
    .array(z.object({ type: z.string(), value: z.string() }))
    .min(1)
    .max(100),
  notBefore: z.undefined({ error: 'is not supported' }).optional(),
  notAfter: z.undefined({ error: 'is not supported' }).optional(),
});
const finalizeSchema = z.object({ csr: z.base64url() });

const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** §7.3: a known key gets its account again, with 200 and the same address. */
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

export function newOrder(context: AcmeContext, caller: Account, payload: unknown): Answer {
  const { identifiers } = read(newOrderSchema, payload, 'newOrder');
  const names = [...new Set(identifiers.map(orderableName))];
  const order = context.store.createOrder(caller, names, context.clock());
  return { status: 201, ...orderAnswer(context, order) };
}

export function order(context: AcmeContext, caller: Account, id: string): Answer {
  return { status: 200, ...orderAnswer(context, context.store.order(id, caller)) };
}

export function authorization(context: AcmeContext, caller: Account, id: string): Answer {
  const found = context.store.authorization(id, caller);
  const body = {
    status: authorizationStatus(found),
    identifier: { type: 'dns', value: found.name },
    expires: found.expiresAt.toISOString(),
    challenges: [challengeBody(context, found)],
  };
  return { status: 200, body };
}

/** §7.5.1: a POST with an object says "look now"; POST-as-GET only reads. Answered at once, looked at meanwhile. */
export function challenge(context: AcmeContext, caller: Account, id: string, payload: unknown): Answer {
  const found = context.store.authorization(id, caller);
  if (payload !== undefined && found.challenge.status === 'pending') {
    found.challenge.status = 'processing';
    void validate(context, caller, found);
  }
  const up = `<${context.baseUrl}/authorizations/${found.id}>;rel="up"`;
  return { status: 200, headers: { link: up }, body: challengeBody(context, found) };
}

/** §7.4: issues at once, so that the answer is already the valid order. */
export async function finalize(context: AcmeContext, caller: Account, id: string, payload: unknown): Promise<Answer> {
  const { csr } = read(finalizeSchema, payload, 'finalize');
  const found = context.store.order(id, caller);
  const status = orderStatus(found);
  if (status !== 'ready') throw new Problem('orderNotReady', `the order is ${status}, not ready`);
  const publicKey = await readCsr(Buffer.from(csr, 'base64url'), found.names);
  const chain = await context.authority.issue(found.names, publicKey, context.clock());
  if (!found.certificate) context.store.saveCertificate(found, chain);
  return { status: 200, ...orderAnswer(context, found) };
}

export function certificate(context: AcmeContext, caller: Account, id: string): Answer {
  const body = context.store.certificate(id, caller);
  return { status: 200, body, contentType: 'application/pem-certificate-chain' };
}

async function validate(context: AcmeContext, caller: Account, { name, challenge }: Authorization): Promise<void> {
  const keyAuthorization = `${challenge.token}.${caller.thumbprint}`;
  try {
    await validateHttp01({ host: name, token: challenge.token, keyAuthorization }, context.validation);
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
  if (name.startsWith('*.')) throw new Problem('rejectedIdentifier', `${name}: a wildcard cannot be proven by http-01`);
  if (!HOST_NAME.test(name)) throw new Problem('rejectedIdentifier', `${JSON.stringify(value)} is not a host name`);
  return name;
}

function accountAnswer({ baseUrl }: AcmeContext, { id, status, contact }: Account) {
  return { headers: { location: `${baseUrl}/accounts/${id}` }, body: { status, contact } };
}

function orderAnswer({ baseUrl }: AcmeContext, found: Order) {
  const failed = found.authorizations.find(({ challenge }) => challenge.error)?.challenge.error;
  const body = {
    status: orderStatus(found),
    expires: found.expiresAt.toISOString(),
    identifiers: found.names.map((value) => ({ type: 'dns', value })),
    authorizations: found.authorizations.map(({ id }) => `${baseUrl}/authorizations/${id}`),
    finalize: `${baseUrl}/orders/${found.id}/finalize`,
    ...(found.certificate && { certificate: `${baseUrl}/certificates/${found.certificate.id}` }),
    ...(failed && { error: failed }),
  };
  return { headers: { location: `${baseUrl}/orders/${found.id}` }, body };
}

function challengeBody(
  { baseUrl }: AcmeContext,
  { id, challenge: { token, status, validatedAt, error } }: Authorization,
) {
  const url = `${baseUrl}/challenges/${id}`;
  return {
    type: 'http-01',
    url,
    token,
    status,
    ...(validatedAt && { validated: validatedAt.toISOString() }),
    ...(error && { error }),
  };
}
