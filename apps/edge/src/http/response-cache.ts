import { FairCache } from '../fairness/fair-cache.js';
import type { Exchange, HeaderList } from './exchange.js';
import { memoryBytes } from './limits.js';

/** Clients choose parts of a key, so its length is limited. */
const MAX_KEY_LENGTH = 512;
/** Approximate memory of a response besides its key and its bytes. */
const RESPONSE_BYTES = 1_024;

export interface CachedResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/**
 * Complete responses of deployed files, headers and body. A deployment never changes, so the same request for the same
 * deployment gets the same response, and no entry ever becomes stale. Each request first finds the deployment of its host, so
 * a removal takes effect with the next request.
 */
export class ResponseCache {
  readonly #responses = new FairCache<CachedResponse>({
    maxBytes: memoryBytes.responses,
    bytesOf: ({ body }) => RESPONSE_BYTES + body.length,
  });

  /**
   * Identifies a request among those for its deployment.
   * @returns undefined for a request that is not cached: one with a precondition, a range or a query has too many variants
   */
  keyOf(target: string, exchange: Exchange): string | undefined {
    if (exchange.method !== 'GET' || target.length > MAX_KEY_LENGTH || target.includes('?')) return undefined;
    const isConditional =
      exchange.header('if-none-match') !== undefined ||
      exchange.header('range') !== undefined ||
      exchange.header('if-match') !== undefined;
    if (isConditional) return undefined;
    const key = `${exchange.header('accept-encoding') ?? ''}\n${target}`;
    return key.length > MAX_KEY_LENGTH ? undefined : key;
  }

  get(contentHash: string, key: string): CachedResponse | undefined {
    return this.#responses.get(contentHash, key);
  }

  set(contentHash: string, key: string, response: CachedResponse): void {
    this.#responses.set(contentHash, key, response);
  }
}
