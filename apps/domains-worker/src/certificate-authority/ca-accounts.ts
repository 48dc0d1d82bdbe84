import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import * as acme from 'acme-client';
import { z } from 'zod';
import type { Config } from '../config.js';
import { CONFIG } from '../providers.js';
import { callCa } from './ca-call.js';
import { isProblem, problemType } from './ca-problem.js';

/** Our account at one CA. */
export interface CaAccount {
  readonly directoryUrl: string;
  readonly accountUrl: string;
  /** Names the CA answers to in CAA records. */
  readonly caaIdentities: readonly string[];
  readonly client: acme.Client;
}

/** Registering takes two or three answers of the CA. */
const ENSURE_LIMIT_MS = 15_000;

const directorySchema = z.object({
  meta: z.object({ caaIdentities: z.array(z.string()).min(1).optional() }).optional(),
});

/** The account key's accounts, one a CA, found or made when first needed and then remembered. */
@Injectable()
export class CaAccounts {
  readonly #accounts = new Map<string, Promise<CaAccount>>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** RFC 7638 thumbprint of the account key, the second half of every HTTP-01 answer. */
  get thumbprint(): string {
    return thumbprintOf(this.config.ACME_ACCOUNT_KEY);
  }

  /** Jobs that need the same account wait for one registration; the signal ends only the waiting. */
  async ensure(directoryUrl: string, signal: AbortSignal): Promise<CaAccount> {
    let account = this.#accounts.get(directoryUrl);
    if (account === undefined) {
      account = this.#register(directoryUrl);
      this.#accounts.set(directoryUrl, account);
      account.catch(() => this.#accounts.delete(directoryUrl));
    }
    return whileWanted(account, signal);
  }

  /** The CA does not know the account any more: the next `ensure` registers it again. */
  forget(directoryUrl: string): void {
    this.#accounts.delete(directoryUrl);
  }

  async #register(directoryUrl: string): Promise<CaAccount> {
    const signal = AbortSignal.timeout(ENSURE_LIMIT_MS);
    const { ACME_ACCOUNT_KEY, ACME_CONTACT, ACME_CAA_IDENTITIES } = this.config;
    const accountKey = ACME_ACCOUNT_KEY.export({ type: 'pkcs8', format: 'pem' });
    const client = new acme.Client({ directoryUrl, accountKey });
    await findOrCreate(client, ACME_CONTACT === undefined ? {} : { contact: [`mailto:${ACME_CONTACT}`] }, signal);
    const directory = await callCa(signal, () => acme.axios.get<unknown>(directoryUrl));
    const caaIdentities = directorySchema.safeParse(directory.value.data).data?.meta?.caaIdentities;
    return {
      directoryUrl,
      accountUrl: client.getAccountUrl(),
      caaIdentities: caaIdentities ?? ACME_CAA_IDENTITIES,
      client,
    };
  }
}

/**
 * Looks before it registers (RFC 8555 §7.3.1): for a key that has an account acme-client turns a registration into an
 * update, and CAs refuse one that changes nothing.
 */
async function findOrCreate(client: acme.Client, contact: { contact?: string[] }, signal: AbortSignal): Promise<void> {
  try {
    await callCa(signal, () => client.createAccount({ onlyReturnExisting: true }));
  } catch (error) {
    if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
    await callCa(signal, () => client.createAccount({ termsOfServiceAgreed: true, ...contact }));
  }
}

/** RFC 7638 §3.2: the required members in this order, without white space. */
export function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function whileWanted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
