import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pathOfBytes, PORT_PATH } from './application.js';

/**
 * `application-main.js PORT HANGING…`: the application of a customer. `/b/N` answers with N bytes, whatever a body has; `/up`
 * with the length of the body, `/port` with its port; a WebSocket stays open. On each of the further ports it accepts connections and never answers.
 */
const [port = '', ...hanging] = process.argv.slice(2);
const CHUNK = Buffer.alloc(64 * 1024, 'All animals are equal. ');

const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
  const bytes = pathOfBytes(request.url ?? '');
  if (bytes !== undefined) answerAfterBody(request, response, bytes);
  else countBody(request, response);
});
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`; // RFC 6455 §4.2.2
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on('error', () => undefined).on('end', () => socket.end());
  socket.resume();
});
server.listen(Number(port), '127.0.0.1');
for (const each of hanging) createServer(() => undefined).listen(Number(each), '127.0.0.1');

function answerAfterBody(request: IncomingMessage, response: ServerResponse, bytes: number): void {
  const answer = () => {
    response.writeHead(200, ['Content-Type', 'text/plain', 'Content-Length', String(bytes)]);
    if (bytes <= CHUNK.length) response.end(CHUNK.subarray(0, bytes));
    else stream(response, bytes);
  };
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) answer();
  else request.resume().on('end', answer);
}

/** Writes as fast as the connection takes it. */
function stream(response: ServerResponse, bytes: number): void {
  let left = bytes;
  const writeOn = () => {
    while (left > 0) {
      const chunk = left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left);
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', writeOn);
    }
    response.end();
  };
  writeOn();
}

function countBody(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => response.end(request.url === PORT_PATH ? port : String(bytes)));
}
