import { LRUCache } from 'lru-cache';
import type { Exchange, HeaderList } from './exchange.js';
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

export interface SiteAsked {
  readonly contentHash: string;
  readonly target: string;
}

/**
 * The fast path: whole files out of memory, head and bytes as they were sent before. A deployment never changes, so who
 * asks for the same of it in the same way gets the same, and nothing here is ever out of date. Which deployment a host
 * serves, and whether it serves one at all, has been looked up anew before this is asked.
 */
export class ReadyReplies {
  readonly #kept = new LRUCache<string, ReadyReply>({
    maxSize: memoryBytes.replies,
    sizeCalculation: ({ body }, key) => REPLY_BYTES + key.length + body.length,
  });

  /**
   * What a request is known by here; undefined where it cannot be answered from here: it has a precondition or a range,
   * of which there are too many to remember, or a query, of which there is no end.
   */
  keyOf({ contentHash, target }: SiteAsked, exchange: Exchange): string | undefined {
    if (exchange.method !== 'GET' || target.length > LONGEST_KEY || target.includes('?')) return undefined;
    const isConditional =
      exchange.header('if-none-match') !== undefined ||
      exchange.header('range') !== undefined ||
      exchange.header('if-match') !== undefined;
    if (isConditional) return undefined;
    const key = `${contentHash}\n${exchange.header('accept-encoding') ?? ''}\n${target}`;
    return key.length > LONGEST_KEY ? undefined : key;
  }

  find(key: string): ReadyReply | undefined {
    return this.#kept.get(key);
  }

  keep(key: string, reply: ReadyReply): void {
    this.#kept.set(key, reply);
    keepHeads(reply.headers);
  }
}
