import type { Logger } from '@pets/platform';
import type { Answer } from './choose-response.js';
import { listOf, type Exchange } from './exchange.js';
import { planReply, type ReplyPlan, type ReplyRequest } from './plan-reply.js';
import { ReadyReplies } from './ready-replies.js';
import { resolvePath } from './resolve-path.js';
import { sendHead, sendPage, sendWhole } from './send.js';
import type { SiteFiles } from './site-files.js';

/** So that a removal or a change of a redirect takes effect in browsers, too. */
const REDIRECT_CACHE_CONTROL = 'max-age=60';

type SiteAnswer = Extract<Answer, { kind: 'site' }>;
type ContentPlan = Extract<ReplyPlan, { kind: 'content' }>;

/** Turns an answer into bytes: at once where all of them are in memory, otherwise when they have been read. */
export class Responder {
  readonly #ready = new ReadyReplies();

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
    const key = this.#ready.keyOf(answer, exchange);
    const ready = key === undefined ? undefined : this.#ready.find(key);
    if (ready !== undefined) return exchange.reply(ready.status, ready.headers, ready.body);
    const resolved = resolvePath(answer.target);
    if (resolved.kind === 'malformed') return sendPage('bad_request', exchange);
    this.#read(answer, resolved.candidates, key, exchange).catch((error: unknown) => this.fail(error, exchange));
  }

  async #read(
    { contentHash }: SiteAnswer,
    candidates: readonly string[],
    key: string | undefined,
    exchange: Exchange,
  ): Promise<void> {
    const plan = planReply(await this.files.index(contentHash), candidates, askedOf(exchange));
    if (exchange.isGone) return;
    switch (plan.kind) {
      case 'page':
        return sendPage(plan.page, exchange, plan.headers);
      case 'not_modified':
        return sendHead(304, plan.headers, exchange);
      case 'content':
        return this.#sendContent(plan, key, exchange);
    }
  }

  async #sendContent(plan: ContentPlan, key: string | undefined, exchange: Exchange): Promise<void> {
    const { status, span } = plan;
    const { stored, coding, isCompressedHere } = plan.representation;
    if (isCompressedHere && coding !== 'identity')
      return this.#sendBody(plan, await this.files.compress(stored, coding), key, exchange);
    const bytes = span === undefined ? stored.bytes : span.last - span.first + 1;
    const headers = { ...plan.headers, 'content-length': String(bytes) };
    if (exchange.method === 'HEAD') return sendHead(status, headers, exchange);

    const content = await this.files.open(stored, span);
    if (Buffer.isBuffer(content)) return this.#sendBody(plan, content, key, exchange);
    try {
      await exchange.replyFrom(status, headers, content, bytes);
    } catch (error) {
      // The head may be out already, so all that can be done is to break off: the client sees that bytes are missing.
      this.log.debug({ err: error, sha256: stored.sha256 }, 'a file was not sent to its end');
      exchange.breakOff();
    }
  }

  /** The next one who asks in the same way is answered at once. */
  #sendBody({ status, headers }: ContentPlan, body: Buffer, key: string | undefined, exchange: Exchange): void {
    const reply = { status, headers: listOf({ ...headers, 'content-length': String(body.length) }), body };
    if (key !== undefined && status === 200) this.#ready.keep(key, reply);
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
