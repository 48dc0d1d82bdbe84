import { z } from 'zod';
import { read, type Jwk } from './jws.js';
import type { AcmeContext, Answer } from './acme-context.js';
import type { Account } from './orders.js';
import { Problem } from './problem.js';

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

export function accountUrl({ baseUrl }: AcmeContext, { id }: Account): string {
  return `${baseUrl}/accounts/${id}`;
}

function accountAnswer(context: AcmeContext, account: Account) {
  const { status, contact } = account;
  return { headers: { location: accountUrl(context, account) }, body: { status, contact } };
}
