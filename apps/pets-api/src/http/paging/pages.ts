import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import type { Config } from '../../platform/config.js';
import { deriveKey } from '../../platform/hashes.js';
import { CONFIG } from '../../platform/providers.js';

/** The parameters of a list request. */
export interface ListRequest {
  /** The list's path: `/v1/pets`. */
  readonly path: string;
  readonly organizationId: string;
  /** Undefined: as much as a list gives at once to callers that know of no pages. */
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  /** Filters by parameter; those that are not set are `undefined`. */
  readonly filters: Readonly<Record<string, string | boolean | Readonly<Record<string, string>> | undefined>>;
}

/**
 * The rows of a page: at most `limit` that follow `afterId`, mostly in ascending order.
 */
export interface PageBounds {
  readonly limit: number;
  /** The position of the row before, as the repository writes it: mostly a decimal id. */
  readonly afterId: string;
}

/** The rows of a page, and the position after which the next page begins; null after the last one. */
export interface FoundPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** For lists that had no pages once, when a caller gives no `limit`. */
const DEFAULT_LIMIT = 1_000;

/** The start of a list without a cursor: ids begin with 1. */
export const BEFORE_ALL = '0';

/**
 * Cuts lists into pages. A page that is not the last has `Link: <…>; rel="next"` (RFC 8288), with the parameters of the
 * request and the next cursor.
 */
@Injectable()
export class Pages {
  private readonly cursors: CursorCodec;

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'APP_SECRET' | 'PUBLIC_URL'>) {
    this.cursors = new CursorCodec(config.APP_SECRET);
  }

  /** Returns the bounds of the page. @throws RequestError `invalid_cursor` */
  beginPage(request: ListRequest): PageBounds {
    const { cursor, limit = DEFAULT_LIMIT } = request;
    return { limit, afterId: cursor === undefined ? BEFORE_ALL : this.cursors.decode(cursor, scopeOf(request)) };
  }

  /** `Link` to what follows after an id. */
  linkNext(request: ListRequest, lastId: string): string {
    const scope = scopeOf(request);
    const next: Record<string, string> = {
      ...(request.limit !== undefined && { limit: String(request.limit) }),
      ...scope.filters,
      cursor: this.cursors.encode(lastId, scope),
    };
    const query = new URLSearchParams(next).toString();
    return `<${this.config.PUBLIC_URL}${request.path}?${query}>; rel="next"`;
  }

  /** A list in the order of ids. @throws RequestError `invalid_cursor` */
  async cut<Row extends { readonly id: bigint }>(
    reply: FastifyReply,
    request: ListRequest,
    find: (bounds: PageBounds) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const { limit, afterId } = this.beginPage(request);
    // One more row shows whether there is a next page.
    const found = await find({ limit: limit + 1, afterId });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (found.length > limit && last !== undefined) reply.header('link', this.linkNext(request, String(last.id)));
    return page;
  }

  /** A list of which `keyset.ts` finds the pages. @throws RequestError `invalid_cursor` */
  async cutFound<Row>(
    reply: FastifyReply,
    request: ListRequest,
    find: (bounds: PageBounds) => Promise<FoundPage<Row>>,
  ): Promise<readonly Row[]> {
    const { rows, next } = await find(this.beginPage(request));
    if (next !== null) reply.header('link', this.linkNext(request, next));
    return rows;
  }
}

function scopeOf({ path, organizationId, filters }: ListRequest): CursorScope {
  return { path, organizationId, filters: definedOnly(filters) };
}

/** Parameters as they are written in a query: the members of `metadata` are `metadata[key]`. */
function definedOnly(filters: ListRequest['filters']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => {
      if (value === undefined) return [];
      if (typeof value !== 'object') return [[name, String(value)]];
      return Object.entries(value).map(([key, member]) => [`${name}[${key}]`, member]);
    }),
  );
}

const MAC_BYTES = 16;

/** The list that a cursor is valid for: its path, its organization and its filters. */
interface CursorScope {
  /** The list, by its path: `/v1/pets`. */
  readonly path: string;
  readonly organizationId: string;
  /** Filters that are set, by parameter. */
  readonly filters: Readonly<Record<string, string>>;
}

/**
 * Keyset cursors: the id after which a page starts, with a truncated HMAC-SHA256 over it and its scope. Clients can
 * neither forge one nor use it for another list.
 */
export class CursorCodec {
  readonly #key: KeyObject;

  constructor(appSecret: string) {
    this.#key = deriveKey(appSecret, 'cursors');
  }

  /** @param afterId decimal text */
  encode(afterId: string, scope: CursorScope): string {
    return Buffer.concat([this.#mac(afterId, scope), Buffer.from(afterId)]).toString('base64url');
  }

  /** @throws RequestError `invalid_cursor` */
  decode(cursor: string, scope: CursorScope): string {
    const bytes = Buffer.from(cursor, 'base64url');
    const mac = bytes.subarray(0, MAC_BYTES);
    const afterId = bytes.subarray(MAC_BYTES).toString();
    // Node ignores invalid characters and surplus bits when decoding, so compare with the canonical text.
    const isOurs = bytes.toString('base64url') === cursor && mac.length === MAC_BYTES;
    if (!isOurs || !timingSafeEqual(mac, this.#mac(afterId, scope))) {
      throw RequestError.ofField(
        'invalid_cursor',
        'cursor',
        'is not valid for this list. Start again without a cursor.',
      );
    }
    return afterId;
  }

  /** Over JSON, so that parts cannot run into each other. */
  #mac(afterId: string, { path, organizationId, filters }: CursorScope): Buffer {
    const sortedFilters = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
    return createHmac('sha256', this.#key)
      .update(JSON.stringify(['v1', path, organizationId, sortedFilters, afterId]))
      .digest()
      .subarray(0, MAC_BYTES);
  }
}
