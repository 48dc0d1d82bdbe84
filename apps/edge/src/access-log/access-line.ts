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
> & { readonly connection: Pick<Connection, 'client' | 'tls'> & Partial<Pick<Connection, 'lastLogged'>> };

/**
 * A line about a request, in the format of the logger. Concatenated by hand from few strings, because it is written for every
 * request; only the fields that visitors or their networks choose can need escaping.
 */
export function formatLine(exchange: LoggedExchange, { durationMs, isComplete }: RequestEnd, nowMs: number): string {
  const { method, target, status, bytes } = exchange;
  return (
    `${linePrefix(nowMs)}${exchange.requestId}${visitorFields(exchange)}${method === 'GET' ? '"GET"' : quoted(method.slice(0, MAX_METHOD))},"path":` +
    `${quoted(loggedPath(target))},"status":${status},"bytes":${bytes},"durationMs":${tenths(durationMs)}` +
    (isComplete ? ',"msg":"request"}\n' : ',"brokenOff":true,"msg":"request"}\n')
  );
}

/** A number with at most one decimal, which V8 converts to text with much more effort. */
function tenths(value: number): string {
  const rounded = Math.round(value * 10);
  const decimal = rounded % 10;
  return decimal === 0 ? String(rounded / 10) : `${(rounded - decimal) / 10}.${decimal}`;
}

/**
 * The path of a request without secrets: without the query, which can contain personal data and session tokens, and without
 * the token of a challenge, which the CA shares only with the owner of the domain.
 */
export function loggedPath(target: string): string {
  const end = target.search(/[?#]/);
  const sent = end === -1 ? target : target.slice(0, end);
  const path = sent.startsWith('/') ? sent : sent.replace(/^https?:\/\/[^/]*/i, '');
  return path.includes(CHALLENGE_PATH) ? `${CHALLENGE_PATH}[token]` : path.slice(0, MAX_PATH);
}

/** The fields that are usually the same for all requests of a connection. */
function visitorFields(exchange: LoggedExchange): string {
  const { connection, hosts, protocol } = exchange;
  const [host] = hosts;
  const userAgent = exchange.header('user-agent');
  const last = connection.lastLogged;
  if (last !== undefined && last.host === host && last.userAgent === userAgent && last.protocol === protocol)
    return last.text;
  const text = flatten(
    `","host":${quoted(host?.slice(0, MAX_HOST))},"protocol":"${protocol}","client":${quoted(connection.client)},` +
      `"tls":${quoted(connection.tls)},"userAgent":${quoted(userAgent?.slice(0, MAX_USER_AGENT))},"method":`,
  );
  connection.lastLogged = { host, userAgent, protocol, text };
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

const lastSecond = { startMs: 0, text: '' };
const MS_PER_SECOND = 1_000;
const AFTER_TIME = 'Z","app":"edge","requestId":"';

/** The line up to the request id. A date is formatted once a second: for each millisecond it was 1 to 2 % of the processor time. */
function linePrefix(nowMs: number): string {
  const ms = nowMs % MS_PER_SECOND;
  if (nowMs - ms !== lastSecond.startMs) {
    const toSeconds = new Date(nowMs).toISOString().slice(0, -'000Z'.length);
    lastSecond.startMs = nowMs - ms;
    lastSecond.text = flatten(`{"level":${LEVEL_INFO},"time":"${toSeconds}`);
  }
  return lastSecond.text + (ms < 10 ? '00' : ms < 100 ? '0' : '') + ms + AFTER_TIME;
}
