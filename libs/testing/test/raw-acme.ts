import acme from 'acme-client';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { waitUntil } from '../src/processes/wait-until.js';

export type AcmeAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** JSON that a test inspects. */
  readonly body: Record<string, unknown>;
  readonly text: string;
};

type Authorization = { readonly challenges: readonly { readonly url: string; readonly token: string }[] };

/** ACME by hand, request by request: for what no client at hand speaks. */
export class RawAcme {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #jwk = this.#keys.publicKey.export({ format: 'jwk' });
  #directory: Record<string, string> = {};
  accountUrl = '';

  constructor(
    readonly directoryUrl: string,
    /** Makes the answer of a challenge known to whoever is asked for it. */
    readonly answerChallenge: (name: string, token: string, keyAuthorization: string) => void,
  ) {}

  async register(payload: object = {}): Promise<AcmeAnswer> {
    this.#directory = (await (await fetch(this.directoryUrl)).json()) as Record<string, string>;
    const answer = await this.post(this.url('newAccount'), payload);
    this.accountUrl = answer.headers.get('location') ?? '';
    return answer;
  }

  url(resource: string): string {
    return this.#directory[resource] ?? '';
  }

  newOrder(names: readonly string[], more: object = {}): Promise<AcmeAnswer> {
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    return this.post(this.url('newOrder'), { identifiers, ...more });
  }

  /** Answers the challenge of an order's first authorization. @returns the answers of the challenge and of the authorization, once settled */
  async prove(order: AcmeAnswer, name: string): Promise<{ challenge: AcmeAnswer; authorization: AcmeAnswer }> {
    const [url = ''] = order.body['authorizations'] as string[];
    const [wanted] = ((await this.post(url)).body as unknown as Authorization).challenges;
    if (wanted === undefined) throw new Error('the authorization has no challenge');
    const { crv, kty, x, y } = this.#jwk;
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
    this.answerChallenge(name, wanted.token, `${wanted.token}.${thumbprint}`);
    const challenge = await this.post(wanted.url, {});
    const authorization = await this.until(url, (status) => status !== 'pending');
    return { challenge, authorization };
  }

  async finalize(order: AcmeAnswer, name: string): Promise<AcmeAnswer> {
    const [, csr] = await acme.crypto.createCsr({ altNames: [name] }, await acme.crypto.createPrivateEcdsaKey());
    const der = acme.crypto.getPemBodyAsB64u(csr);
    return this.post(String(order.body['finalize']), { csr: der });
  }

  /** From the order to the chain. */
  async obtain(name: string, more: object = {}): Promise<{ order: AcmeAnswer; chainPem: string }> {
    const order = await this.newOrder([name], more);
    await this.prove(order, name);
    await this.finalize(order, name);
    const valid = await this.until(order.headers.get('location') ?? '', (status) => status === 'valid');
    return { order: valid, chainPem: (await this.post(String(valid.body['certificate']))).text };
  }

  until(url: string, isSettled: (status: unknown) => boolean): Promise<AcmeAnswer> {
    return waitUntil(
      async () => {
        const answer = await this.post(url);
        return isSettled(answer.body['status']) && answer;
      },
      { message: `${url} to settle` },
    );
  }

  /** A signed request; without a payload, POST-as-GET. */
  async post(url: string, payload?: object): Promise<AcmeAnswer> {
    const nonce = (await fetch(this.url('newNonce'), { method: 'HEAD' })).headers.get('replay-nonce');
    const identity = this.accountUrl === '' ? { jwk: this.#jwk } : { kid: this.accountUrl };
    const header = encode({ alg: 'ES256', url, nonce, ...identity });
    const body = payload === undefined ? '' : encode(payload);
    const key = { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' as const };
    const signature = sign('sha256', Buffer.from(`${header}.${body}`), key).toString('base64url');
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/jose+json' },
      body: JSON.stringify({ protected: header, payload: body, signature }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
