import type { Exchange } from '../http/exchange.js';
import type { RequestEnd } from '../http/request-handler.js';
import type { Connection } from '../tls/connection.js';

/**
 * Clients choose these values, so the log keeps only a limited part of them. Together they keep a line shorter than what a
 * process can write at once (line-sink.ts).
 */
const MAX_METHOD = 20;
const MAX_USER_AGENT = 200;
const MAX_HOST = 260;
const MAX_PATH = 500;

const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** The level of the line, as the logger writes it. */
const LEVEL_INFO = 30;

/** The fields of a request and its connection that are logged. */
export type LoggedExchange = Pick<
  Exchange,
  'requestId' | 'hosts' | 'method' | 'target' | 'status' | 'bytes' | 'protocol' | 'header'
> & { readonly connection: Pick<Connection, 'client' | 'tls'> };

/**
 * A line about a request, in the format of the logger. Concatenated by hand from few strings, because it is written for every
 * request; only the fields that visitors or their networks choose can need escaping.
 */
export function formatLine(exchange: LoggedExchange, { durationMs, isComplete }: RequestEnd, nowMs: number): string {
  const { method, target, status, bytes } = exchange;
  return (
    `${linePrefix(nowMs)}${exchange.requestId}${visitorFields(exchange)}${method === 'GET' ? '"GET"' : quoted(method.slice(0, MAX_METHOD))},"path":` +
    `${quoted(loggedPath(target))},"status":${status},"bytes":${bytes},"durationMs":${Math.round(durationMs * 10) / 10}` +
    (isComplete ? ',"msg":"request"}\n' : ',"brokenOff":true,"msg":"request"}\n')
  );
}

/**
 * The path of a request without secrets: without the query, which can contain personal data and session tokens, and without
 * the token of a challenge, which the CA shares only with the owner of the domain.
 */
export function loggedPath(target: string): string {
  const end = target.search(/[?#]/);
  const path = (end === -1 ? target : target.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '');
  return path.includes(CHALLENGE_PATH) ? `${CHALLENGE_PATH}[token]` : path.slice(0, MAX_PATH);
}

interface VisitorFields {
  readonly protocol: string;
  readonly host: string | undefined;
  readonly userAgent: string | undefined;
  readonly text: string;
}

/** The fields of the last line about each connection. */
const lastFields = new WeakMap<LoggedExchange['connection'], VisitorFields>();

/** The fields that are usually the same for all requests of a connection. */
function visitorFields(exchange: LoggedExchange): string {
  const { connection, hosts, protocol } = exchange;
  const [host] = hosts;
  const userAgent = exchange.header('user-agent');
  const last = lastFields.get(connection);
  if (last !== undefined && last.host === host && last.userAgent === userAgent && last.protocol === protocol)
    return last.text;
  const text = flatten(
    `","host":${quoted(host?.slice(0, MAX_HOST))},"protocol":"${protocol}","client":${quoted(connection.client)},` +
      `"tls":${quoted(connection.tls)},"userAgent":${quoted(userAgent?.slice(0, MAX_USER_AGENT))},"method":`,
  );
  lastFields.set(connection, { host, userAgent, protocol, text });
  return text;
}

/** Printable ASCII without the special characters of JSON. */
const NEEDS_NO_ESCAPING = /^[ !#-[\]-~]*$/;

function quoted(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  return NEEDS_NO_ESCAPING.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The same text in one piece: V8 keeps a concatenated string as a tree and walks it at each copy. */
function flatten(text: string): string {
  return Buffer.from(text).toString();
}

const lastPrefix = { ms: 0, text: '' };

/** The line up to the request id. Many requests end in the same millisecond. */
function linePrefix(nowMs: number): string {
  if (nowMs !== lastPrefix.ms) {
    const time = new Date(nowMs).toISOString();
    lastPrefix.ms = nowMs;
    lastPrefix.text = flatten(`{"level":${LEVEL_INFO},"time":"${time}","app":"edge","requestId":"`);
  }
  return lastPrefix.text;
}
