import type { Exchange } from '../http/exchange.js';
import type { Connection } from '../tls/connection.js';
import type { Ending } from './ending.js';
import { loggedPath } from './logged-path.js';
import { nextRequestId } from './request-id.js';

/** More says nothing that helps, and the client chooses it. */
const MAX_USER_AGENT = 200;
const MAX_HOST = 260;

/** As the program's other lines have it. */
const LEVEL_INFO = 30;

/** What a line says of a request and its connection. */
export type LoggedExchange = Pick<
  Exchange,
  'hosts' | 'method' | 'target' | 'status' | 'bytes' | 'protocol' | 'header'
> & { readonly connection: Pick<Connection, 'client' | 'tls'> };

/**
 * A line about a request, in the form of the program's other lines. Put together by hand, of few pieces, since it is written
 * for each request: of the fields only those that visitors or their networks chose could need escaping.
 */
export function formatLine(exchange: LoggedExchange, { durationMs, isComplete }: Ending, nowMs: number): string {
  const { method, target, status, bytes } = exchange;
  return (
    `${beginning(nowMs)}${nextRequestId()}${visitorOf(exchange)}${method === 'GET' ? '"GET"' : quoted(method)},"path":` +
    `${quoted(loggedPath(target))},"status":${status},"bytes":${bytes},"durationMs":${Math.round(durationMs * 10) / 10}` +
    (isComplete ? ',"msg":"request"}\n' : ',"brokenOff":true,"msg":"request"}\n')
  );
}

interface Visitor {
  readonly protocol: string;
  readonly host: string | undefined;
  readonly userAgent: string | undefined;
  readonly text: string;
}

/** What was said of each connection last. */
const visitors = new WeakMap<LoggedExchange['connection'], Visitor>();

/** Who asks for what host, which is mostly the same for all requests of a connection. */
function visitorOf(exchange: LoggedExchange): string {
  const { connection, hosts, protocol } = exchange;
  const [host, userAgent] = [hosts[0], exchange.header('user-agent')];
  const known = visitors.get(connection);
  const isKnown = known?.host === host && known?.userAgent === userAgent && known?.protocol === protocol;
  if (known !== undefined && isKnown) return known.text;
  const text =
    `","host":${quoted(host?.slice(0, MAX_HOST))},"protocol":"${protocol}","client":${quoted(connection.client)},` +
    `"tls":${quoted(connection.tls)},"userAgent":${quoted(userAgent?.slice(0, MAX_USER_AGENT))},"method":`;
  visitors.set(connection, { host, userAgent, protocol, text: whole(text) });
  return text;
}

/** Printable ASCII that means nothing in JSON, which is nearly everything. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The same text in one piece: V8 keeps what was put together as a tree of its pieces, and walks it each time it is copied. */
function whole(text: string): string {
  return Buffer.from(text).toString();
}

const lately = { ms: 0, text: '' };

/** Up to the request's id. Many requests end in the same millisecond. */
function beginning(nowMs: number): string {
  if (nowMs !== lately.ms) {
    const time = new Date(nowMs).toISOString();
    [lately.ms, lately.text] = [nowMs, whole(`{"level":${LEVEL_INFO},"time":"${time}","app":"edge","requestId":"`)];
  }
  return lately.text;
}
