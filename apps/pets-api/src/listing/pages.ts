import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Config } from '../config.js';
import { CONFIG } from '../providers.js';
import { CursorCodec, type CursorScope } from './cursor.js';

/** What a client asked for, of which list and for whom. */
export interface ListRequest {
  /** The list's path: `/v1/pets`. */
  readonly path: string;
  readonly organizationId: string;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** By parameter; those that are not set are `undefined`. */
  readonly filters: Readonly<Record<string, string | undefined>>;
}

/**
 * What a repository is asked for: `limit` rows at most that follow the one with the id `afterId`, mostly in ascending
 * order.
 */
export interface PageBounds {
  readonly limit: number;
  /** Decimal text, as it goes into a statement. */
  readonly afterId: string;
}

/** Where a list begins that no cursor says of: ids are given by the database and begin with 1. */
export const BEFORE_ALL = '0';

/**
 * Cuts lists into pages, in the order of ids or against it. A page with something behind it says where to go on:
 * `Link: <…>; rel="next"` (RFC 8288), with every parameter of the request and the next cursor.
 */
@Injectable()
export class Pages {
  private readonly cursors: CursorCodec;

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'APP_SECRET' | 'PUBLIC_URL'>) {
    this.cursors = new CursorCodec(config.APP_SECRET);
  }

  /** Where the page begins. @throws DomainError `invalid_cursor` */
  begin(request: ListRequest): PageBounds {
    const { cursor, limit } = request;
    return { limit, afterId: cursor === undefined ? BEFORE_ALL : this.cursors.decode(cursor, scopeOf(request)) };
  }

  /** `Link` to what follows after an id. */
  linkNext(request: ListRequest, lastId: string): string {
    const scope = scopeOf(request);
    const next = { limit: String(request.limit), ...scope.filters, cursor: this.cursors.encode(lastId, scope) };
    const query = new URLSearchParams(next).toString();
    return `<${this.config.PUBLIC_URL}${request.path}?${query}>; rel="next"`;
  }

  /** @throws DomainError `invalid_cursor` */
  async cut<Row extends { readonly id: bigint }>(
    reply: FastifyReply,
    request: ListRequest,
    find: (bounds: PageBounds) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const { limit, afterId } = this.begin(request);
    // One row more than wanted tells whether there is a next page.
    const found = await find({ limit: limit + 1, afterId });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (found.length > limit && last !== undefined) reply.header('link', this.linkNext(request, String(last.id)));
    return page;
  }
}

function scopeOf({ path, organizationId, filters }: ListRequest): CursorScope {
  return { path, organizationId, filters: definedOnly(filters) };
}

function definedOnly(filters: ListRequest['filters']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
