import { readFileSync } from 'node:fs';
import { ServerResponse, type IncomingMessage, type ServerOptions } from 'node:http';
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { PassThrough, type Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { Pool, type Dispatcher } from 'undici';

/**
 * The least that a forwarding server on Node can do: the TLS listener of our edge, and `undici.Pool`. It checks nothing, limits
 * nothing but what a slow side holds in memory, sets no field, and logs nothing.
 */
const [edge = '', port = '', set = '', applicationUrl = ''] = process.argv.slice(2);
const pool = new Pool(applicationUrl, { headersTimeout: 0, bodyTimeout: 0 });
const contexts = new Map<string, SecureContext>();
// apps/edge/src/tls/secure-contexts.ts and http/limits.ts
const { tlsOptions } = (await import(`${edge}/tls/secure-contexts.js`)) as { tlsOptions: SecureContextOptions };
const { http1Limits } = (await import(`${edge}/http/limits.js`)) as { http1Limits: ServerOptions };

const server = createSecureServer({
  ...http1Limits,
  ...tlsOptions,
  allowHTTP1: true,
  SNICallback: (name, done) => {
    const open = contexts.get(name) ?? openContext(name);
    contexts.set(name, open);
    done(null, open);
  },
});
server.on('request', (request: unknown, response: unknown) => {
  // Node gives both of one protocol.
  if (response instanceof ServerResponse) forward1(request as IncomingMessage, response as ServerResponse);
});
server.removeAllListeners('stream'); // Node's own, which would make a request of each stream
server.on('stream', forward2);
server.on('upgrade', tunnel);
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));

function forward1(request: IncomingMessage, response: ServerResponse): void {
  const headers = without(request.headers, ['connection']);
  const body = 'content-length' in headers || 'transfer-encoding' in headers ? request : null;
  pool.dispatch(optionsOf(request.method, request.url, headers, body), {
    onRequestStart: () => undefined,
    onResponseStart: (controller, status, fields) => {
      response.writeHead(status, without(fields, ofConnection));
      response.on('drain', () => controller.resume());
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the visitor has left'));
      });
    },
    onResponseData: (controller, chunk) => {
      if (!response.write(chunk)) controller.pause();
    },
    onResponseEnd: () => void response.end(),
    onResponseError: () => void response.destroy(),
  });
}

function forward2(stream: ServerHttp2Stream, received: IncomingHttpHeaders): void {
  stream.on('error', () => undefined);
  const headers: IncomingHttpHeaders = { host: received[':authority'] };
  for (const name in received) if (!name.startsWith(':')) headers[name] = received[name];
  // The pool destroys a body that it has sent, and with the stream its answer would end.
  const body = stream.endAfterHeaders ? null : stream.pipe(new PassThrough());
  pool.dispatch(optionsOf(received[':method'], received[':path'], headers, body), {
    onRequestStart: () => undefined,
    onResponseStart: (controller, status, fields) => {
      stream.respond({ ':status': status, ...without(fields, ofConnection) });
      stream.on('drain', () => controller.resume());
      stream.on('close', () => {
        if (!stream.writableFinished) controller.abort(new Error('the visitor has left'));
      });
    },
    onResponseData: (controller, chunk) => {
      if (!stream.write(chunk)) controller.pause();
    },
    onResponseEnd: () => void stream.end(),
    onResponseError: () => void stream.destroy(),
  });
}

/** A WebSocket: bytes in both directions. */
function tunnel(request: IncomingMessage, visitor: Duplex): void {
  visitor.on('error', () => undefined);
  const headers = without(request.headers, ['connection', 'upgrade']);
  pool.upgrade({ path: request.url ?? '/', headers, protocol: 'websocket' }, (error, data) => {
    if (error !== null) return void visitor.destroy();
    const { 'sec-websocket-accept': accept } = data.headers;
    const head = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket`;
    visitor.write(`${head}\r\nSec-WebSocket-Accept: ${String(accept)}\r\n\r\n`);
    data.socket.on('error', () => visitor.destroy());
    visitor.pipe(data.socket).pipe(visitor);
  });
}

const ofConnection = ['connection', 'keep-alive'];

function without(fields: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  const rest: IncomingHttpHeaders = {};
  for (const name in fields) if (!names.includes(name)) rest[name] = fields[name];
  return rest;
}

function optionsOf(
  method = '',
  path = '',
  headers: IncomingHttpHeaders,
  body: Dispatcher.DispatchOptions['body'],
): Dispatcher.DispatchOptions {
  return { method, path, headers, body };
}

/** @param name as `nameOf` makes them: `n17.…` */
function openContext(name: string): SecureContext {
  const pem = readFileSync(`${set}/pairs/0/${Number.parseInt(name.slice(1), 10)}.pem`); // edge/certificate-set.ts
  return createSecureContext({ ...tlsOptions, cert: pem, key: pem });
}
