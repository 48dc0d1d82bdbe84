import { STATUS_CODES } from 'node:http';
import type { HeaderList } from './exchange.js';
import { http1Limits } from './limits.js';

/** The forms that the head of one answer has in one second. */
interface Heads {
  readonly second: number;
  http1?: Buffer;
  http2?: string[];
}

/** Of lists that are sent again and again: their heads change once a second, with the date. */
const kept = new WeakMap<HeaderList, Heads>();

/** Headers that will be sent again, always with the same status. */
export function keepHeads(headers: HeaderList): void {
  kept.set(headers, { second: 0 });
}

/** RFC 9110 §5.5, as Latin-1; a line feed in a value would be the end of it, and the beginning of another header. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

const KEEPS = `Connection: keep-alive\r\nKeep-Alive: timeout=${http1Limits.keepAliveTimeout / 1_000}\r\n\r\n`;
const CLOSES = 'Connection: close\r\n\r\n';

/**
 * The head of an answer of HTTP/1.1 (RFC 9112 §4) over a connection that goes on, or ends with it.
 * @throws Error for a value that no header may have
 */
export function http1Head(status: number, headers: HeaderList, persists: boolean, nowMs: number): Buffer {
  const heads = persists ? headsOf(headers, nowMs) : undefined;
  if (heads?.http1 !== undefined) return heads.http1;
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name, value = ''] = [headers[at], headers[at + 1]];
    if (FORBIDDEN.test(value)) throw new Error(`the header ${name} has a value that cannot be sent`);
    text += `${name}: ${value}\r\n`;
  }
  const head = Buffer.from(`${text}Date: ${dateOf(nowMs)}\r\n${persists ? KEEPS : CLOSES}`, 'latin1');
  if (heads !== undefined) heads.http1 = head;
  return head;
}

/** The head of an answer of HTTP/2, as a list that Node takes as it is: it adds a date only where there is none. */
export function http2Head(status: number, headers: HeaderList, nowMs: number): string[] {
  const heads = headsOf(headers, nowMs);
  if (heads?.http2 !== undefined) return heads.http2;
  const head = [':status', String(status), ...headers, 'date', dateOf(nowMs)];
  if (heads !== undefined) heads.http2 = head;
  return head;
}

function headsOf(headers: HeaderList, nowMs: number): Heads | undefined {
  const heads = kept.get(headers);
  const second = Math.floor(nowMs / 1_000);
  if (heads === undefined || heads.second === second) return heads;
  const anew = { second };
  kept.set(headers, anew);
  return anew;
}

const lately = { second: 0, date: '' };

function dateOf(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (second !== lately.second) [lately.second, lately.date] = [second, new Date(second * 1_000).toUTCString()];
  return lately.date;
}
