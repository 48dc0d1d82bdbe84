import type { Logger } from '@pets/platform';
import { StorageBusyError } from '../sending/storage-reads.js';
import type { Answer } from './choose-response.js';
import { listOf, type Exchange } from './exchange.js';
import { pathsOfReply, planReply, type ReplyPlan, type ReplyRequest } from './plan-reply.js';
import { ResponseCache } from './response-cache.js';
import { resolvePath } from './resolve-path.js';
import { sendHead, sendPage, sendWhole } from './send.js';
import type { SiteFiles } from './site-files.js';

/** So that a removal or a change of a redirect takes effect in browsers, too. */
const REDIRECT_CACHE_CONTROL = 'max-age=60';

type SiteAnswer = Extract<Answer, { kind: 'site' }>;
interface AskedSite {
  readonly contentHash: string;
  /** What the answer is kept under, where it can be. */
  readonly key: string | undefined;
  readonly exchange: Exchange;
}

type ContentPlan = Extract<ReplyPlan, { kind: 'content' }>;

/** Turns an answer into bytes: at once where all of them are in memory, otherwise when they have been read. */
export class Responder {
  readonly #ready = new ResponseCache();

  constructor(
    private readonly files: SiteFiles,
    private readonly log: Logger,
  ) {}

  respond(answer: Answer, exchange: Exchange): void {
    if (answer.hsts !== undefined) exchange.addHeaders({ 'strict-transport-security': answer.hsts });
    switch (answer.kind) {
      case 'page':
        return sendPage(answer.page, exchange);
      case 'text': {
        const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store', ...nosniff };
        return sendWhole(200, headers, Buffer.from(answer.text), exchange);
      }
      case 'redirect': {
        const headers = { location: answer.location, 'cache-control': REDIRECT_CACHE_CONTROL, ...nosniff };
        return sendWhole(answer.status, headers, Buffer.alloc(0), exchange);
      }
      case 'site':
        return this.#respondFromSite(answer, exchange);
    }
  }

  /** Whatever goes wrong, the connection is not left hanging, and nothing is thrown: that would end all the others as well. */
  fail(error: unknown, exchange: Exchange): void {
    if (error instanceof StorageBusyError && exchange.status === 0) return sendPage('busy', exchange);
    this.log.error({ err: error, host: exchange.hosts[0] }, 'a request could not be answered');
    try {
      if (exchange.status === 0) sendPage('unavailable', exchange);
      else exchange.breakOff();
    } catch (sendError) {
      this.log.error({ err: sendError }, 'not even that could be said');
      exchange.breakOff();
    }
  }

  #respondFromSite(answer: SiteAnswer, exchange: Exchange): void {
    const { contentHash, target } = answer;
    const key = this.#ready.keyOf(target, exchange);
    const ready = key === undefined ? undefined : this.#ready.find(contentHash, key);
    if (ready !== undefined) return exchange.reply(ready.status, ready.headers, ready.body);
    const resolved = resolvePath(target);
    if (resolved.kind === 'malformed') return sendPage('bad_request', exchange);
    this.#read({ contentHash, key, exchange }, resolved.candidates).catch((error: unknown) =>
      this.fail(error, exchange),
    );
  }

  async #read(asked: AskedSite, candidates: readonly string[]): Promise<void> {
    const { contentHash, exchange } = asked;
    const named = await this.files.find(contentHash, candidates);
    const besides = await this.files.find(contentHash, pathsOfReply(named, candidates));
    const plan = planReply(new Map([...named, ...besides]), candidates, askedOf(exchange));
    if (exchange.isGone) return;
    switch (plan.kind) {
      case 'page':
        return sendPage(plan.page, exchange, plan.headers);
      case 'not_modified':
        return sendHead(304, plan.headers, exchange);
      case 'content':
        return this.#sendContent(plan, asked);
    }
  }

  async #sendContent(plan: ContentPlan, asked: AskedSite): Promise<void> {
    const { contentHash, exchange } = asked;
    const { status, span } = plan;
    const { stored, coding, isCompressedHere } = plan.representation;
    if (isCompressedHere && coding !== 'identity')
      return this.#sendBody(plan, await this.files.compress(contentHash, stored, coding), asked);
    const { first, last } = span ?? { first: 0, last: stored.bytes - 1 };
    const bytes = last - first + 1;
    const headers = { ...plan.headers, 'content-length': String(bytes) };
    if (exchange.method === 'HEAD') return sendHead(status, headers, exchange);
    const reader = { connection: exchange.connection, site: contentHash };
    if (this.files.isSmall(stored)) {
      const whole = await this.files.small(stored, reader);
      return this.#sendBody(plan, span === undefined ? whole : whole.subarray(first, last + 1), asked);
    }
    const slices = await this.files.slices(stored, { first, last }, reader);
    try {
      await exchange.replyFrom(status, headers, slices, bytes);
    } catch (error) {
      // The head may be out already, so all that can be done is to break off: the client sees that bytes are missing.
      this.log.debug({ err: error, sha256: stored.sha256 }, 'a file was not sent to its end');
      exchange.breakOff();
    }
  }

  /** The next one who asks in the same way is answered at once. */
  #sendBody({ status, headers }: ContentPlan, body: Buffer, { contentHash, key, exchange }: AskedSite): void {
    const reply = { status, headers: listOf({ ...headers, 'content-length': String(body.length) }), body };
    if (key !== undefined && status === 200) this.#ready.keep(contentHash, key, reply);
    exchange.reply(reply.status, reply.headers, reply.body);
  }
}

const nosniff = { 'x-content-type-options': 'nosniff' } as const;

function askedOf(exchange: Exchange): ReplyRequest {
  return {
    method: exchange.method,
    acceptEncoding: exchange.header('accept-encoding'),
    ifMatch: exchange.header('if-match'),
    ifNoneMatch: exchange.header('if-none-match'),
    ifRange: exchange.header('if-range'),
    range: exchange.header('range'),
  };
}
