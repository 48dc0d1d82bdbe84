import type { Exchange, HeaderList } from './exchange.js';
import { FairCache } from './fair-cache.js';
import { memoryBytes } from './limits.js';
import { keepHeads } from './response-head.js';

/** What clients send is part of a key, so that it must not be of any length. */
const LONGEST_KEY = 512;
/** Rough memory of a reply besides its key and its bytes. */
const REPLY_BYTES = 1_024;

export interface ReadyReply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/**
 * The fast path: whole files out of memory, head and bytes as they were sent before. A deployment never changes, so who
 * asks for the same of it in the same way gets the same, and nothing here is ever out of date. Which deployment a host
 * serves, and whether it serves one at all, has been looked up anew before this is asked.
 */
export class ResponseCache {
  readonly #kept = new FairCache<ReadyReply>({
    maxBytes: memoryBytes.replies,
    bytesOf: ({ body }) => REPLY_BYTES + body.length,
  });

  /**
   * What a request is known by among those for its deployment; undefined where it cannot be answered from here: it has a precondition or a range,
   * of which there are too many to remember, or a query, of which there is no end.
   */
  keyOf(target: string, exchange: Exchange): string | undefined {
    if (exchange.method !== 'GET' || target.length > LONGEST_KEY || target.includes('?')) return undefined;
    const isConditional =
      exchange.header('if-none-match') !== undefined ||
      exchange.header('range') !== undefined ||
      exchange.header('if-match') !== undefined;
    if (isConditional) return undefined;
    const key = `${exchange.header('accept-encoding') ?? ''}\n${target}`;
    return key.length > LONGEST_KEY ? undefined : key;
  }

  find(contentHash: string, key: string): ReadyReply | undefined {
    return this.#kept.get(contentHash, key);
  }

  keep(contentHash: string, key: string, reply: ReadyReply): void {
    this.#kept.set(contentHash, key, reply);
    keepHeads(reply.headers);
  }
}
