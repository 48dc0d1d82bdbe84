import { sealedCertificateSchema, type SealedCertificate } from '@pets/contracts/edge-feed';
import { causeCode } from '../platform/error-code.js';

const REQUEST_LIMIT_MS = 2_000;

/** The result of a deregistration: with `unreached` the API cannot have received it, with `unknown` it may have. */
export type Deregistration = 'done' | 'unreached' | 'unknown';

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Client of pets-api's `/internal/edge/*`, without the session. Every request has its own time limit. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #token: string;
  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  async deregister(edgeId: string): Promise<Deregistration> {
    try {
      const response = await this.#request('DELETE', `/internal/edge/edges/${encodeURIComponent(edgeId)}`);
      await response.body?.cancel();
      return response.ok || response.status === 404 ? 'done' : 'unknown';
    } catch (error) {
      return neverConnected.has(causeCode(error)) ? 'unreached' : 'unknown';
    }
  }

  /** @throws Error when there is no such certificate, or the API does not answer */
  async fetchCertificate(id: string): Promise<SealedCertificate> {
    const response = await this.#request('GET', `/internal/edge/certificates/${encodeURIComponent(id)}`);
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the API answered the request for certificate ${id} with ${response.status}`);
    }
    return sealedCertificateSchema.parse(await response.json());
  }

  #request(method: string, path: string): Promise<Response> {
    return fetch(this.#baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
      },
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
  }
}
