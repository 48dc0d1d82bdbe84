import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { bindExternalAccount, type ExternalAccount } from './acme-jws.js';
import { authorizationSchema, orderSchema, type Authorization, type Order } from './acme-resources.js';
import { readAnswer, type AcmeServer, type CaAnswer } from './acme-server.js';
import { CaError, isProblem, plainProblem, problemType } from './ca-problem.js';

export interface Registration {
  /** Mail address for messages of the CA. */
  readonly contact?: string | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
}

export interface OrderOptions {
  /** Certificate profile, used if the CA offers it; null for the CA's default. */
  readonly profile: string | null;
  /** RFC 9773 §5: the certificate that this one replaces. */
  readonly replaces: string | null;
}

/**
 * Finds or registers the account of a key. It looks the account up first (RFC 8555 §7.3.1), since an existing one
 * needs neither consent nor an external account.
 * @throws CaError when the CA refuses
 */
export async function openAccount(
  server: AcmeServer,
  key: KeyObject,
  registration: Registration,
  signal: AbortSignal,
): Promise<AcmeAccount> {
  const { newAccount, externalAccountRequired } = await server.directory(signal);
  const postAccount = async (payload: object) => {
    const { location } = await server.post(newAccount, { key, accountUrl: null, payload }, signal);
    if (location === null) throw new CaError(plainProblem('the CA returned no account URL'));
    return new AcmeAccount(server, key, new URL(location, newAccount).href);
  };
  try {
    return await postAccount({ onlyReturnExisting: true });
  } catch (error) {
    if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
  }
  const { contact, externalAccount } = registration;
  if (externalAccountRequired === true && externalAccount === undefined) throw new CaError(noExternalAccount);
  return postAccount({
    termsOfServiceAgreed: true,
    ...(contact !== undefined && { contact: [`mailto:${contact}`] }),
    ...(externalAccount !== undefined && {
      externalAccountBinding: bindExternalAccount(key, externalAccount, newAccount),
    }),
  });
}

const noExternalAccount = {
  ...plainProblem('the CA requires an external account, and ACME_EAB has none for it'),
  type: 'urn:ietf:params:acme:error:externalAccountRequired',
};

/** Our account at a CA. Each method is one request of RFC 8555 §7.4 to §7.6 and throws a CaError when the CA refuses it. */
export class AcmeAccount {
  readonly #server: AcmeServer;
  readonly #key: KeyObject;
  readonly url: string;

  constructor(server: AcmeServer, key: KeyObject, url: string) {
    this.#server = server;
    this.#key = key;
    this.url = url;
  }

  /** Leaves out options that the CA's directory does not offer. */
  async newOrder(name: string, { profile, replaces }: OrderOptions, signal: AbortSignal): Promise<Order> {
    const { newOrder, profiles = {}, renewalInfo } = await this.#server.directory(signal);
    const payload = {
      identifiers: [{ type: 'dns', value: name }],
      ...(profile !== null && Object.hasOwn(profiles, profile) && { profile }),
      ...(replaces !== null && renewalInfo !== undefined && { replaces }),
    };
    const reply = await this.#post(newOrder, signal, payload);
    if (reply.location === null) throw new CaError(plainProblem('the CA returned no order URL'));
    return { ...readAnswer(reply, orderSchema).value, url: new URL(reply.location, newOrder).href };
  }

  async readOrder(url: string, signal: AbortSignal): Promise<CaAnswer<Order>> {
    return orderOf(url, readAnswer(await this.#post(url, signal), orderSchema));
  }

  async readAuthorization(url: string, signal: AbortSignal): Promise<CaAnswer<Authorization>> {
    return readAnswer(await this.#post(url, signal), authorizationSchema);
  }

  /** Asks the CA to validate the challenge. */
  async answerChallenge(url: string, signal: AbortSignal): Promise<CaAnswer<unknown>> {
    return readAnswer(await this.#post(url, signal, {}), z.object({}));
  }

  async finalize({ url, finalize }: Order, csrPem: string, signal: AbortSignal): Promise<CaAnswer<Order>> {
    const csr = Buffer.from(csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64').toString('base64url');
    return orderOf(url, readAnswer(await this.#post(finalize, signal, { csr }), orderSchema));
  }

  /** The chain as the CA returns it, not validated. */
  async downloadChain({ certificate }: Order, signal: AbortSignal): Promise<string> {
    if (certificate === undefined) throw new CaError(plainProblem('the CA returned no certificate URL'));
    const accept = 'application/pem-certificate-chain';
    return (await this.#server.post(certificate, { key: this.#key, accountUrl: this.url, accept }, signal)).text;
  }

  /** RFC 8555 §7.6, signed by the account that ordered it. @param certificate DER, base64url */
  async revoke(certificate: string, reason: number, signal: AbortSignal): Promise<void> {
    const { revokeCert } = await this.#server.directory(signal);
    if (revokeCert === undefined) throw new CaError(plainProblem('the directory of the CA has no revokeCert URL'));
    await this.#post(revokeCert, signal, { certificate, reason });
  }

  #post(url: string, signal: AbortSignal, payload?: object) {
    const signed = { key: this.#key, accountUrl: this.url };
    return this.#server.post(url, { ...signed, ...(payload !== undefined && { payload }) }, signal);
  }
}

function orderOf(url: string, { value, retryAt }: CaAnswer<Omit<Order, 'url'>>): CaAnswer<Order> {
  return { value: { ...value, url }, retryAt };
}
