import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { pageTexts, type PageName, type PageText } from './page-texts.js';

/**
 * The edge's own pages: small, self-contained, and rendered when the process starts. Only the reference differs between
 * two answers. Nothing of a request is part of a page.
 */

/** Browsers get HTML, programs that ask for JSON get JSON, and all other clients a line of text. */
export const pageFormats = ['html', 'json', 'text'] as const;
type PageFormat = (typeof pageFormats)[number];

interface RenderedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A page up to the reference, and from there on. */
interface Template {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly start: Buffer;
  readonly end: Buffer;
  /** The complete page without a reference. */
  readonly bare: Buffer;
}

const style =
  ':root{color-scheme:light dark}' +
  'body{margin:0;padding:12vh 1.25rem 3rem;font:16px/1.6 system-ui,sans-serif;color:#191b22;background:#f7f7f9}' +
  'main{max-width:36rem;margin:auto}' +
  'h1{margin:0 0 .75rem;font-size:1.75rem;line-height:1.2}' +
  'h2{margin:0 0 .25rem;font-size:1rem}' +
  'p{margin:0 0 1rem}' +
  'a{color:#3c42b0}' +
  'section{margin:2rem 0;padding:1rem 1.25rem;background:#fff;border:1px solid #e2e3e9;border-radius:8px}' +
  'section p{margin:0}' +
  'small{color:#5b5f6d;overflow-wrap:anywhere}' +
  '@media(prefers-color-scheme:dark){' +
  'body{color:#e7e8ec;background:#101216}' +
  'a{color:#a9b0fb}' +
  'section{background:#171a1f;border-color:#2a2e37}' +
  'small{color:#a2a7b4}}';

const policy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const contentTypes = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
} as const satisfies Record<PageFormat, string>;

/** Stands for the reference while a page is rendered. */
const MARK = '\u0000';

const templates = Object.fromEntries(
  Object.entries(pageTexts).map(([name, text]) => [
    name,
    Object.fromEntries(pageFormats.map((format) => [format, prepare(name, text, format)])),
  ]),
) as Readonly<Record<PageName, Readonly<Record<PageFormat, Template>>>>; // the keys of constants

/** @param requestId the reference, by which the request is found in the access log; null for a request that is not in it */
export function renderPage(name: PageName, format: PageFormat, requestId: string | null): RenderedPage {
  const { status, headers, start, end, bare } = templates[name][format];
  const body = requestId === null ? bare : Buffer.concat([start, Buffer.from(requestId), end]);
  const length = { 'content-length': String(body.length) };
  const reference = requestId === null ? undefined : { 'x-request-id': requestId };
  return { status, headers: { ...headers, ...length, ...reference }, body };
}

function prepare(name: string, text: PageText, format: PageFormat): Template {
  const render = { html: renderHtml, json: renderJson, text: renderText }[format];
  const [start = '', end = ''] = render(name, text, MARK).split(MARK);
  const headers = {
    'content-type': contentTypes[format],
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': policy,
    ...text.headers,
  };
  return {
    status: text.status,
    headers,
    start: Buffer.from(start),
    end: Buffer.from(end),
    bare: Buffer.from(render(name, text, null)),
  };
}

function renderHtml(_name: string, { status, title, visitor, owner, linksHome }: PageText, id: string | null): string {
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${title}</title><style>${style}</style><main><h1>${title}</h1><p>${visitor}</p>` +
    (linksHome === true ? '<p><a href="/">Go to the start page</a></p>' : '') +
    (owner === undefined ? '' : `<section><h2>Is this your site?</h2><p>${owner}</p></section>`) +
    `<small>Status ${status}${id === null ? '' : ` · Reference ${id}`}</small></main></html>\n`
  );
}

/** The members of an error of the API, and `owner`: what the owner of the site can do. */
function renderJson(code: string, { status, visitor, owner }: PageText, id: string | null): string {
  const error = JSON.stringify({ code, message: visitor, status, owner });
  return id === null ? `${error}\n` : `${error.slice(0, -1)},"requestId":"${id}"}\n`;
}

function renderText(_name: string, { title, visitor, owner }: PageText, id: string | null): string {
  const forOwner = owner === undefined ? '' : `\nIf this is your site: ${owner}`;
  return `${title}: ${visitor}${forOwner}${id === null ? '' : `\nReference: ${id}`}\n`;
}

/**
 * The format of a page of the edge. Every browser names `text/html`; a client that accepts anything, such as curl, gets
 * text.
 */
export function choosePageFormat(accept: string | undefined): PageFormat {
  const html = qualityOf(accept, 'text/html');
  const json = qualityOf(accept, 'application/json');
  if (html === 0 && json === 0) return 'text';
  return html >= json ? 'html' : 'json';
}

/** The weight that the header gives to a media type by its name (RFC 9110 §12.5.1); 0 where it does not name it. */
function qualityOf(accept: string | undefined, type: string): number {
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}

/** How long a client may read the error page before its connection is closed. */
const CLOSE_GRACE_MS = 1_000;

const pageOf: Readonly<Record<string, PageName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Connections that close after the response in progress. */
const closing = new WeakSet<Duplex>();

export function markLastResponse(socket: Duplex): void {
  closing.add(socket);
}

export function isLastResponseOf(socket: Duplex): boolean {
  return closing.has(socket);
}

/** Answers a request that the parser rejected, and closes the connection. Failed handshakes and resets get no answer. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (isLastResponseOf(socket)) {
    socket.end();
    destroyLater(socket);
    return;
  }
  // What follows a request with `Connection: close` gets no answer (RFC 9112 §9.6). The response to that ends the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  const isParserError = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!isParserError || !socket.writable) {
    socket.destroy();
    return;
  }
  markLastResponse(socket);
  const { status, headers, body } = renderPage(pageOf[error.code ?? ''] ?? 'bad_request', 'html', null);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n`), body]));
  destroyLater(socket);
}

function destroyLater(socket: Duplex): void {
  setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
}
