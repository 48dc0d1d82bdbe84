import type { Logger } from '@pets/platform';
import { chooseFile, locationOfChoice, parseRequestedPath, type RequestedPath } from '@pets/sites';
import { FairCache } from '../fairness/fair-cache.js';
import { StorageBusyError } from '../sending/storage-reads.js';
import type { Answer } from './choose-response.js';
import { listOf, NO_BODY, type Exchange, type HeaderList, type Headers, type StoredHeaders } from './exchange.js';
import { memoryBytes } from './limits.js';
import { choosePageFormat, renderPage } from './pages.js';
import type { PageName } from './page-texts.js';
import { pathsOfReply, planReply, type ReplyPlan, type ReplyRequest } from './plan-reply.js';
import type { SiteFiles } from './site-files.js';

/** Clients choose parts of a key, so its length is limited. */
const MAX_KEY_LENGTH = 512;
/** Approximate memory of a response besides its key and its bytes. */
const RESPONSE_BYTES = 1_024;

class CachedResponse implements StoredHeaders {
  #more: HeaderList | undefined;
  #allHeaders: HeaderList = [];

  constructor(
    readonly status: number,
    readonly headers: HeaderList,
    readonly body: Buffer,
  ) {}

  headersWith(more: HeaderList): HeaderList {
    if (this.#more !== more) {
      this.#more = more;
      this.#allHeaders = this.headers.concat(more);
    }
    return this.#allHeaders;
  }
}

/**
 * Complete responses of deployed files, headers and body. A deployment never changes, so the same request for the same
 * deployment gets the same response, and no entry ever becomes stale. Each request first finds the deployment of its host, so
 * a removal takes effect with the next request.
 */
class ResponseCache {
  readonly #responses = new FairCache<CachedResponse>({
    maxBytes: memoryBytes.responses,
    bytesOf: ({ body }) => RESPONSE_BYTES + body.length,
  });

  /**
   * Identifies a request among those for its deployment.
   * @returns undefined for a request that is not cached: one with a precondition, a range or a query has too many variants
   */
  keyOf({ target, trailingSlash, since }: SiteAnswer, exchange: Exchange): string | undefined {
    if (exchange.method !== 'GET' || target.length > MAX_KEY_LENGTH || target.includes('?')) return undefined;
    const isConditional =
      exchange.header('if-none-match') !== undefined ||
      exchange.header('if-modified-since') !== undefined ||
      exchange.header('range') !== undefined ||
      exchange.header('if-match') !== undefined;
    if (isConditional) return undefined;
    // The last two are of the route: other hosts and projects may have the same files.
    const key = `${exchange.header('accept-encoding') ?? ''}\n${target}\n${since ?? ''}${trailingSlash ?? ''}`;
    return key.length > MAX_KEY_LENGTH ? undefined : key;
  }

  get(contentHash: string, key: string): CachedResponse | undefined {
    return this.#responses.get(contentHash, key);
  }

  set(contentHash: string, key: string, response: CachedResponse): void {
    this.#responses.set(contentHash, key, response);
  }
}

/** Before the fields of the site, which can only add to it. */
const noindex = { 'x-robots-tag': 'noindex' } as const;

/** Short, so that a removal, another deployment or a change of a redirect takes effect in browsers, too. */
const REDIRECT_CACHE_CONTROL = 'max-age=60';

const NO_HEADERS: Headers = {};
const nosniff = { 'x-content-type-options': 'nosniff' } as const;

type SiteAnswer = Extract<Answer, { kind: 'site' }>;
export type ApplicationAnswer = Extract<Answer, { kind: 'application' }>;

/** Forwards a request to an application, and ends its exchange. Never throws. */
export type Forward = (answer: ApplicationAnswer, exchange: Exchange) => void;

type ContentPlan = Extract<ReplyPlan, { kind: 'content' }>;

interface SiteRequest {
  readonly answer: SiteAnswer;
  /** The key of the response in the cache, if it is cached. */
  readonly cacheKey: string | undefined;
  readonly exchange: Exchange;
}

/** Sends answers: at once if all bytes are in memory, otherwise when they have been read from the storage. */
export class Responder {
  readonly #cache = new ResponseCache();
  readonly #files: SiteFiles;
  readonly #forward: Forward;
  readonly #log: Logger;

  constructor(files: SiteFiles, forward: Forward, log: Logger) {
    this.#files = files;
    this.#forward = forward;
    this.#log = log;
  }

  respond(answer: Answer, exchange: Exchange): void {
    if (answer.hsts !== undefined) exchange.addHeaders({ 'strict-transport-security': answer.hsts });
    if (answer.noindex === true) exchange.addHeaders(noindex);
    if (answer.isPrivate === true) exchange.makePrivate();
    switch (answer.kind) {
      case 'page':
        return sendPage(answer.page, exchange);
      case 'text': {
        const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store', ...nosniff };
        return sendBody(200, headers, Buffer.from(answer.text), exchange);
      }
      case 'redirect':
        return sendRedirect(answer, REDIRECT_CACHE_CONTROL, exchange);
      case 'site':
        return this.#respondFromSite(answer, exchange);
      case 'application':
        return this.#forward(answer, exchange);
    }
  }

  /** Ends a request whose answer failed. Never throws: that would end all other requests as well. */
  fail(error: unknown, exchange: Exchange): void {
    if (error instanceof StorageBusyError && exchange.status === 0) return sendPage('busy', exchange);
    this.#log.error({ err: error, host: exchange.hosts[0], requestId: exchange.requestId }, 'request failed');
    try {
      if (exchange.status === 0) sendPage('unavailable', exchange);
      else exchange.abort();
    } catch (sendError) {
      this.#log.error({ err: sendError }, 'failed to send error response');
      exchange.abort();
    }
  }

  #respondFromSite(answer: SiteAnswer, exchange: Exchange): void {
    const { contentHash, target } = answer;
    const cacheKey = this.#cache.keyOf(answer, exchange);
    const cached = cacheKey === undefined ? undefined : this.#cache.get(contentHash, cacheKey);
    if (cached !== undefined) return exchange.send(cached.status, cached.headers, cached.body, cached);
    if (!isContentHash(contentHash)) return sendPage('unavailable', exchange);
    const requested = parseRequestedPath(target);
    if (requested === undefined) return sendPage('bad_request', exchange);
    this.#read({ answer, cacheKey, exchange }, requested).catch((error: unknown) => this.fail(error, exchange));
  }

  async #read(request: SiteRequest, requested: RequestedPath): Promise<void> {
    const { answer, exchange } = request;
    const site = await this.#files.open(answer.contentHash);
    const choice = await chooseFile(site, requested, answer.trailingSlash ?? 'auto');
    const headers = site.rules?.headersFor(requested.decoded) ?? NO_HEADERS;
    if (choice.kind === 'redirect') {
      const location = locationOfChoice(choice, answer.host, answer.publicHttpsPort);
      if (exchange.isClosed) return;
      return sendRedirect(
        { status: choice.status, location },
        headers['cache-control'] ?? REDIRECT_CACHE_CONTROL,
        exchange,
      );
    }
    const index = await site.find(pathsOfReply(choice.path));
    const plan = planReply(index, { ...choice, headers, since: answer.since }, replyRequestOf(exchange));
    if (exchange.isClosed) return;
    switch (plan.kind) {
      case 'page':
        return sendPage(plan.page, exchange, plan.headers);
      case 'not_modified':
        return exchange.send(304, plan.headers, NO_BODY);
      case 'content':
        // Visitors choose any number of addresses that a rule shows the same file at.
        return this.#sendContent(plan, choice.rule !== undefined ? { ...request, cacheKey: undefined } : request);
    }
  }

  async #sendContent(plan: ContentPlan, request: SiteRequest): Promise<void> {
    const { exchange } = request;
    const { contentHash } = request.answer;
    const { stored, coding, isCompressedHere } = plan.representation;
    if (isCompressedHere && coding !== 'identity')
      return this.#sendAndCache(plan, await this.#files.compress(contentHash, stored, coding), request);
    const span = plan.span ?? { first: 0, last: stored.bytes - 1 };
    const bytes = span.last - span.first + 1;
    const headers = { ...plan.headers, 'content-length': String(bytes) };
    if (exchange.method === 'HEAD') return exchange.send(plan.status, headers, NO_BODY);
    const reader = { connection: exchange.connection, site: contentHash };
    if (this.#files.isSmall(stored)) {
      const file = await this.#files.small(stored, reader);
      return this.#sendAndCache(plan, bytes === file.length ? file : file.subarray(span.first, span.last + 1), request);
    }
    const slices = await this.#files.slices(stored, span, reader);
    try {
      await exchange.stream(plan.status, headers, slices, bytes);
    } catch (error) {
      // The head may have been sent already, so the connection is aborted: the client sees that bytes are missing.
      this.#log.debug({ err: error, sha256: stored.sha256 }, 'response aborted before its end');
      exchange.abort();
    }
  }

  #sendAndCache(
    { status, headers }: ContentPlan,
    body: Buffer,
    { answer: { contentHash }, cacheKey, exchange }: SiteRequest,
  ): void {
    const list = listOf({ ...headers, 'content-length': String(body.length) });
    if (cacheKey !== undefined && status === 200)
      this.#cache.set(contentHash, cacheKey, new CachedResponse(status, list, body));
    exchange.send(status, list, body);
  }
}

/** A part of the storage's keys. Nothing is cached for another text, so that only requests that read check it. */
function isContentHash(text: string): boolean {
  return /^[0-9a-f]{2,128}$/i.test(text);
}

/** Sends one of the edge's own pages. */
export function sendPage(name: PageName, exchange: Exchange, extraHeaders?: Headers): void {
  const { status, headers, body } = renderPage(name, choosePageFormat(exchange.header('accept')), exchange.requestId);
  // Bytes after a malformed request may be meant to be read as the next request.
  if (name === 'bad_request' && exchange.protocol !== 'http/2') exchange.endConnection();
  exchange.send(status, extraHeaders === undefined ? headers : { ...headers, ...extraHeaders }, body);
}

function sendRedirect(
  { status, location, headers }: Pick<Extract<Answer, { kind: 'redirect' }>, 'status' | 'location' | 'headers'>,
  cacheControl: string,
  exchange: Exchange,
): void {
  sendBody(status, { location, 'cache-control': cacheControl, ...nosniff, ...headers }, NO_BODY, exchange);
}

function sendBody(status: number, headers: Headers, body: Buffer, exchange: Exchange): void {
  exchange.send(status, { ...headers, 'content-length': String(body.length) }, body);
}

function replyRequestOf(exchange: Exchange): ReplyRequest {
  return {
    method: exchange.method,
    acceptEncoding: exchange.header('accept-encoding'),
    ifMatch: exchange.header('if-match'),
    ifNoneMatch: exchange.header('if-none-match'),
    ifModifiedSince: exchange.header('if-modified-since'),
    ifRange: exchange.header('if-range'),
    range: exchange.header('range'),
  };
}
