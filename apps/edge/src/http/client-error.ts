import type { Duplex } from 'node:stream';
import { renderPage, type PageName } from './pages.js';

/** How long a client that sent what is no request may take to read why. */
const LINGER_MS = 1_000;

const pageOf: Readonly<Record<string, PageName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Connections that end with the answer they are being given. */
const ending = new WeakSet<Duplex>();

export function markLastAnswer(socket: Duplex): void {
  ending.add(socket);
}

export function isLastAnswerOf(socket: Duplex): boolean {
  return ending.has(socket);
}

/** Answers what the parser refused, and ends the connection. Failed handshakes and broken connections get no answer. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  const isParserError = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isLastAnswerOf(socket)) {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    return;
  }
  if (!isParserError || !socket.writable) {
    socket.destroy();
    return;
  }
  markLastAnswer(socket);
  const { status, headers, body } = renderPage(pageOf[error.code ?? ''] ?? 'bad_request');
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n`), body]));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
