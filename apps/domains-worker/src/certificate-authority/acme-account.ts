import { z } from 'zod';
import { bindExternalAccount, type ExternalAccount } from './acme-jws.js';
import { authorizationSchema, orderSchema, type Authorization, type Order } from './acme-resources.js';
import { readAnswer, type AcmeServer, type CaAnswer } from './acme-server.js';
import { CaError, isProblem, plainProblem, problemType } from './ca-problem.js';

export interface Registration {
  /** Mail address the CA may write to. */
  readonly contact?: string | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
}

export interface OrderOptions {
  /** Certificate profile, where the CA offers it; null for the CA's own choice. */
  readonly profile: string | null;
  /** RFC 9773 §5: the certificate that this one takes the place of. */
  readonly replaces: string | null;
}

/**
 * The account of the server's key, found or made. It is looked up first (RFC 8555 §7.3.1), since one that exists needs
 * neither consent nor an external account.
 * @returns the account's URL
 * @throws CaError when the CA refuses
 */
export async function openAccount(
  server: AcmeServer,
  registration: Registration,
  signal: AbortSignal,
): Promise<string> {
  const { newAccount, externalAccountRequired } = await server.directory(signal);
  const ask = async (payload: object) => {
    const { location } = await server.post(newAccount, { accountUrl: null, payload }, signal);
    if (location === null) throw new CaError(plainProblem('the CA does not say where the account is'));
    return new URL(location, newAccount).href;
  };
  try {
    return await ask({ onlyReturnExisting: true });
  } catch (error) {
    if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
  }
  const { contact, externalAccount } = registration;
  if (externalAccountRequired === true && externalAccount === undefined) throw new CaError(noExternalAccount);
  return ask({
    termsOfServiceAgreed: true,
    ...(contact !== undefined && { contact: [`mailto:${contact}`] }),
    ...(externalAccount !== undefined && {
      externalAccountBinding: bindExternalAccount(server.key, externalAccount, newAccount),
    }),
  });
}

const noExternalAccount = {
  ...plainProblem('the CA registers only accounts that it knows already, and ACME_EAB has none for it'),
  type: 'urn:ietf:params:acme:error:externalAccountRequired',
};

/** Our account at a CA: each method is one request of RFC 8555 §7.4 and §7.5, and throws a CaError when it is refused. */
export class AcmeAccount {
  constructor(
    private readonly server: AcmeServer,
    readonly url: string,
  ) {}

  /** Asks only for what the CA's directory offers. */
  async newOrder(name: string, { profile, replaces }: OrderOptions, signal: AbortSignal): Promise<Order> {
    const { newOrder, profiles = {}, renewalInfo } = await this.server.directory(signal);
    const payload = {
      identifiers: [{ type: 'dns', value: name }],
      ...(profile !== null && Object.hasOwn(profiles, profile) && { profile }),
      ...(replaces !== null && renewalInfo !== undefined && { replaces }),
    };
    const reply = await this.#post(newOrder, signal, payload);
    if (reply.location === null) throw new CaError(plainProblem('the CA does not say where the order is'));
    return { ...readAnswer(reply, orderSchema).value, url: new URL(reply.location, newOrder).href };
  }

  async readOrder(url: string, signal: AbortSignal): Promise<CaAnswer<Order>> {
    return orderOf(url, readAnswer(await this.#post(url, signal), orderSchema));
  }

  async readAuthorization(url: string, signal: AbortSignal): Promise<CaAnswer<Authorization>> {
    return readAnswer(await this.#post(url, signal), authorizationSchema);
  }

  /** Tells the CA that it may look now. */
  async answerChallenge(url: string, signal: AbortSignal): Promise<CaAnswer<unknown>> {
    return readAnswer(await this.#post(url, signal, {}), z.object({}));
  }

  async finalize({ url, finalize }: Order, csrPem: string, signal: AbortSignal): Promise<CaAnswer<Order>> {
    const csr = Buffer.from(csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64').toString('base64url');
    return orderOf(url, readAnswer(await this.#post(finalize, signal, { csr }), orderSchema));
  }

  /** The chain as the CA gives it, not looked into. */
  async downloadChain({ certificate }: Order, signal: AbortSignal): Promise<string> {
    if (certificate === undefined) throw new CaError(plainProblem('the CA does not say where the certificate is'));
    const accept = 'application/pem-certificate-chain';
    return (await this.server.post(certificate, { accountUrl: this.url, accept }, signal)).text;
  }

  /** RFC 8555 §7.6, signed by the account that ordered it. @param certificate DER, base64url */
  async revoke(certificate: string, reason: number, signal: AbortSignal): Promise<void> {
    const { revokeCert } = await this.server.directory(signal);
    if (revokeCert === undefined) throw new CaError(plainProblem('the CA does not say where certificates are revoked'));
    await this.#post(revokeCert, signal, { certificate, reason });
  }

  #post(url: string, signal: AbortSignal, payload?: object) {
    return this.server.post(url, { accountUrl: this.url, ...(payload !== undefined && { payload }) }, signal);
  }
}

function orderOf(url: string, { value, retryAt }: CaAnswer<Omit<Order, 'url'>>): CaAnswer<Order> {
  return { value: { ...value, url }, retryAt };
}
