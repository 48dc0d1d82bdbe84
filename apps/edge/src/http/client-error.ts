import type { Duplex } from 'node:stream';
import type { PageName } from './page-texts.js';
import { renderPage } from './pages.js';

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
