import type { SupportedHeader } from '../exchange.js';

/** A request as nearly all of them are: GET or HEAD of a path, in HTTP/1.1, for one host, with nothing to follow. */
export interface FastPathRequest {
  readonly method: string;
  /** As on the wire. */
  readonly target: string;
  readonly host: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Whether the client wants to ask for more on the connection. */
  readonly persists: boolean;
}

/** A whole head, and nothing behind it (RFC 9112 §2.1), in characters that mean the same to everybody. */
const WHOLE_HEAD = /^(GET|HEAD) (\/[!-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~]*\r\n)+\r\n$/;

const heard: readonly SupportedHeader[] = [
  'accept-encoding',
  'if-match',
  'if-none-match',
  'if-range',
  'range',
  'user-agent',
];
const singular: ReadonlySet<string> = new Set(['host', 'connection', ...heard]);
/** What says that more follows, that the connection turns into another, or that somebody on the way is meant. */
const involved: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'trailer',
  'te',
  'expect',
  'upgrade',
  'http2-settings',
  'proxy-connection',
]);

/**
 * Reads a request that there is only one way to read: its bytes are one head and nothing else, and nothing in it speaks of
 * a body, so that it ends with the head (RFC 9112 §6.3). Of everything else, what is broken, comes in pieces or could be
 * taken for two things, it says nothing: that is for a parser that knows all of HTTP.
 * @param text the bytes that have arrived, as Latin-1
 */
export function parseSimpleRequest(text: string): FastPathRequest | undefined {
  const [, method, target] = WHOLE_HEAD.exec(text) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers = new Map<string, string>();
  const end = text.length - 2;
  for (let at = text.indexOf('\r\n') + 2; at < end;) {
    const colon = text.indexOf(':', at);
    const lineEnd = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon).toLowerCase();
    if (involved.has(name)) return undefined;
    if (singular.has(name)) {
      if (headers.has(name)) return undefined;
      headers.set(name, text.slice(colon + 1, lineEnd).trim());
    }
    at = lineEnd + 2;
  }
  const host = headers.get('host');
  const connection = headers.get('connection')?.toLowerCase() ?? 'keep-alive';
  if (host === undefined || (connection !== 'keep-alive' && connection !== 'close')) return undefined;
  return { method, target, host, headers, persists: connection === 'keep-alive' };
}
