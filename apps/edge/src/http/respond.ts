import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { pipeline } from 'node:stream/promises';
import type { Logger } from '@pets/platform';
import type { Answer } from './choose-response.js';
import { contentTypeOf } from './content-type.js';
import { entityTag, matchesEntityTag } from './entity-tag.js';
import { renderPage, type PageName } from './pages.js';
import type { SiteFile, SiteFiles } from './site-files.js';

export type EdgeRequest = IncomingMessage | Http2ServerRequest;
export type EdgeResponse = ServerResponse | Http2ServerResponse;

/** So that a removal or a change of a redirect takes effect in browsers, too. */
const REDIRECT_CACHE_CONTROL = 'max-age=60';
const SITE_CACHE_CONTROL = 'public, max-age=0, must-revalidate';
const NOT_FOUND_PAGE = '404.html';

type Headers = Readonly<Record<string, string>>;

/** Turns an answer into bytes. */
export class Responder {
  constructor(
    private readonly files: SiteFiles,
    private readonly log: Logger,
  ) {}

  async respond(answer: Answer, request: EdgeRequest, response: EdgeResponse): Promise<void> {
    switch (answer.kind) {
      case 'page':
        return sendPage(answer.page, request, response);
      case 'text':
        return send(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }, answer.text, request, response);
      case 'redirect':
        return send(
          answer.status,
          { location: answer.location, 'cache-control': REDIRECT_CACHE_CONTROL },
          '',
          request,
          response,
        );
      case 'site':
        return this.#sendFile(answer, request, response);
    }
  }

  async #sendFile(
    answer: Extract<Answer, { kind: 'site' }>,
    request: EdgeRequest,
    response: EdgeResponse,
  ): Promise<void> {
    const { contentHash, candidates } = answer;
    const found = await this.files.find(contentHash, candidates);
    const file = found ?? (await this.files.find(contentHash, [NOT_FOUND_PAGE]));
    if (response.destroyed) return;
    if (file === undefined) return sendPage('not_found', request, response);

    const common = { 'cache-control': SITE_CACHE_CONTROL, 'x-content-type-options': 'nosniff' };
    const describing = { ...common, 'content-type': contentTypeOf(file.path), 'content-length': String(file.size) };
    if (found === undefined) return this.#stream(404, describing, file, request, response);
    const etag = entityTag(contentHash, file.path);
    if (matchesEntityTag(request.headers['if-none-match'], etag)) {
      return write(response, 304, { ...common, etag }, undefined);
    }
    return this.#stream(200, { ...describing, etag }, file, request, response);
  }

  async #stream(
    status: number,
    headers: Headers,
    file: SiteFile,
    request: EdgeRequest,
    response: EdgeResponse,
  ): Promise<void> {
    if (request.method === 'HEAD') return write(response, status, headers, undefined);
    const content = await file.open();
    setHead(response, status, headers);
    try {
      await pipeline(content, response);
    } catch (error) {
      // The head may be out already, so all that can be done is to break off: the client sees that bytes are missing.
      this.log.debug({ err: error, path: file.path }, 'a file was not sent to its end');
      response.destroy();
    }
  }
}

export function sendPage(name: PageName, request: EdgeRequest, response: EdgeResponse): void {
  const { status, headers, body } = renderPage(name);
  write(response, status, headers, request.method === 'HEAD' ? undefined : body);
}

function send(status: number, headers: Headers, text: string, request: EdgeRequest, response: EdgeResponse): void {
  const body = Buffer.from(text);
  const complete = { ...headers, 'content-length': String(body.length), 'x-content-type-options': 'nosniff' };
  write(response, status, complete, request.method === 'HEAD' ? undefined : body);
}

function write(response: EdgeResponse, status: number, headers: Headers, body: Buffer | undefined): void {
  setHead(response, status, headers);
  if (body === undefined) response.end();
  else response.end(body);
}

function setHead(response: EdgeResponse, status: number, headers: Headers): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
