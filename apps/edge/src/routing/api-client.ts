import {
  apiErrorSchema,
  edgeFeedProtocols,
  sealedCertificateSchema,
  type EdgeAck,
  type SealedCertificate,
} from '@pets/contracts';
import { currentTraceParent } from '@pets/platform';
import { causeCode } from '../error-code.js';
import { FeedError } from './feed-lines.js';

const REQUEST_LIMIT_MS = 2_000;

/** The result of a deregistration: with `unreached` the API cannot have received it, with `unknown` it may have. */
export type Deregistration = 'done' | 'unreached' | 'unknown';

/** The edge's position in the feed. */
export interface FeedPosition {
  readonly epoch: string;
  readonly version: number;
  /** The protocol under which its table was sent. */
  readonly protocol: number;
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Client of pets-api's `/internal/edge/*`. Every request has its own time limit. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #token: string;
  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  /** @throws Error when the API did not accept it */
  async acknowledge(ack: EdgeAck): Promise<void> {
    const response = await this.#request('POST', '/internal/edge/acks', JSON.stringify(ack));
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the API answered the acknowledgement with ${response.status}`);
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

  /**
   * Opens the stream of changes after a version. It stays open until the signal fires; the caller limits the time for the
   * response and for each message.
   * @throws FeedError when the API refuses it
   */
  async openFeed(
    position: FeedPosition & { readonly edgeId: string },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const query = new URLSearchParams({
      after: String(position.version),
      epoch: position.epoch,
      edgeId: position.edgeId,
      protocol: String(edgeFeedProtocols.newest),
      held: String(position.protocol),
    });
    const response = await fetch(`${this.#baseUrl}/internal/edge/feed?${query.toString()}`, {
      headers: { authorization: `Bearer ${this.#token}`, accept: 'application/x-ndjson' },
      redirect: 'error',
      signal,
    });
    if (response.ok && response.body !== null) return response.body;
    const refusal = apiErrorSchema.safeParse(await response.json().catch(() => undefined));
    const reason = refusal.success ? `: ${refusal.data.message}` : '';
    throw new FeedError(`the API answered the feed request with ${response.status}${reason}`);
  }

  #request(method: string, path: string, body?: string): Promise<Response> {
    const traceparent = currentTraceParent();
    return fetch(this.#baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(traceparent === null ? {} : { traceparent }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
  }
}
