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
 * A line about a request, in the form of the program's other lines. Put together by hand, since it is written for each
 * request: of the fields only those that visitors or their networks chose could need escaping.
 */
export function formatLine(exchange: LoggedExchange, { durationMs, isComplete }: Ending, nowMs: number): string {
  const { hosts, method, target, status, bytes, protocol, connection } = exchange;
  return (
    `{"level":${LEVEL_INFO},"time":"${isoTime(nowMs)}","app":"edge","requestId":"${nextRequestId()}",` +
    `"host":${quoted(hosts[0]?.slice(0, MAX_HOST))},"method":${quoted(method)},"path":${quoted(loggedPath(target))},` +
    `"status":${status},"bytes":${bytes},${isComplete ? '' : '"brokenOff":true,'}` +
    `"durationMs":${Math.round(durationMs * 10) / 10},"protocol":"${protocol}",` +
    `"client":${quoted(connection.client)},"tls":${quoted(connection.tls)},` +
    `"userAgent":${quoted(exchange.header('user-agent')?.slice(0, MAX_USER_AGENT))},"msg":"request"}\n`
  );
}

/** Printable ASCII that means nothing in JSON, which is nearly everything. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const lately = { ms: 0, text: '' };

/** Many requests end in the same millisecond. */
function isoTime(nowMs: number): string {
  if (nowMs !== lately.ms) [lately.ms, lately.text] = [nowMs, new Date(nowMs).toISOString()];
  return lately.text;
}
