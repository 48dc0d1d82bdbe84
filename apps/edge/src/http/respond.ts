import type { Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { Answer } from './choose-response.js';
import { planReply, type ReplyPlan, type ReplyRequest } from './plan-reply.js';
import { sendHead, sendPage, sendStream, sendText, sendWhole, type EdgeRequest, type EdgeResponse } from './send.js';
import type { SiteFiles } from './site-files.js';

/** So that a removal or a change of a redirect takes effect in browsers, too. */
const REDIRECT_CACHE_CONTROL = 'max-age=60';

/** Each takes about a kilobyte, and saves a sixth of what a request costs. */
const KEPT_PLANS = 10_000;
/** What clients send is part of a key, so that it must not be of any length. */
const LONGEST_KEY = 512;

type SiteAnswer = Extract<Answer, { kind: 'site' }>;
type ContentPlan = Extract<ReplyPlan, { kind: 'content' }>;

/** Turns an answer into bytes. */
export class Responder {
  readonly #plans = new LRUCache<string, ReplyPlan>({ max: KEPT_PLANS });

  constructor(
    private readonly files: SiteFiles,
    private readonly log: Logger,
  ) {}

  async respond(answer: Answer, request: EdgeRequest, response: EdgeResponse): Promise<void> {
    if (answer.hsts !== undefined) response.setHeader('strict-transport-security', answer.hsts);
    switch (answer.kind) {
      case 'page':
        return sendPage(answer.page, request, response);
      case 'text': {
        const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store' };
        return sendText(200, headers, answer.text, request, response);
      }
      case 'redirect': {
        const headers = { location: answer.location, 'cache-control': REDIRECT_CACHE_CONTROL };
        return sendText(answer.status, headers, '', request, response);
      }
      case 'site': {
        const plan = await this.#plan(answer, replyRequestOf(request));
        if (response.destroyed) return;
        return this.#carryOut(plan, request, response);
      }
    }
  }

  /** The plan for a whole file is the same for whoever asks for it in the same way, as long as there is the deployment. */
  async #plan({ contentHash, candidates }: SiteAnswer, asked: ReplyRequest): Promise<ReplyPlan> {
    const key = isForWhole(asked) ? [contentHash, asked.acceptEncoding, ...candidates].join('\n') : '';
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = planReply(await this.files.index(contentHash), candidates, asked);
    const isWorthKeeping = key !== '' && key.length <= LONGEST_KEY && plan.kind === 'content' && plan.status === 200;
    if (isWorthKeeping) this.#plans.set(key, plan);
    return plan;
  }

  async #carryOut(plan: ReplyPlan, request: EdgeRequest, response: EdgeResponse): Promise<void> {
    switch (plan.kind) {
      case 'page':
        return sendPage(plan.page, request, response, plan.headers);
      case 'not_modified':
        return sendHead(304, plan.headers, response);
      case 'content':
        return this.#sendContent(plan, request, response);
    }
  }

  async #sendContent(plan: ContentPlan, request: EdgeRequest, response: EdgeResponse): Promise<void> {
    const { status, headers, span } = plan;
    const { stored, coding, isCompressedHere } = plan.representation;
    if (isCompressedHere && coding !== 'identity')
      return sendWhole(status, headers, await this.files.compress(stored, coding), request, response);
    const bytes = span === undefined ? stored.bytes : span.last - span.first + 1;
    if (request.method === 'HEAD') return sendHead(status, { ...headers, 'content-length': String(bytes) }, response);

    const content = await this.files.open(stored, span);
    if (Buffer.isBuffer(content)) return sendWhole(status, headers, content, request, response);
    try {
      await sendStream(status, headers, { stream: content, bytes }, response);
    } catch (error) {
      // The head may be out already, so all that can be done is to break off: the client sees that bytes are missing.
      this.log.debug({ err: error, sha256: stored.sha256 }, 'a file was not sent to its end');
      response.destroy();
    }
  }
}

/** Neither a precondition nor a range, of which there are too many to remember. */
function isForWhole({ method, ifMatch, ifNoneMatch, ifRange, range }: ReplyRequest): boolean {
  return method === 'GET' && [ifMatch, ifNoneMatch, ifRange, range].every((header) => header === undefined);
}

function replyRequestOf({ method = '', headers }: EdgeRequest): ReplyRequest {
  return {
    method,
    acceptEncoding: textOf(headers['accept-encoding']),
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifRange: textOf(headers['if-range']),
    range: headers.range,
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
