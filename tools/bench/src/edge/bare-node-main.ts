import { readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { constants } from 'node:crypto';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createSecureContext, type SecureContext } from 'node:tls';
import { pairPath } from './certificate-set.js';

/**
 * `bare-node-main.js PORT CERTIFICATE-SET FILE`: the least that a server on Node can do. It opens the certificate of a name
 * when it is asked for, and gives one file to everybody; it looks at nothing else, limits nothing, and logs nothing.
 */
const [port = '', set = '', file = ''] = process.argv.slice(2);
const body = readFileSync(file);
const headers = ['content-type', 'text/html; charset=utf-8', 'content-length', String(body.length)];
const contexts = new Map<string, SecureContext>();
const common = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET } as const;

const server = createSecureServer({
  ...common,
  allowHTTP1: true,
  SNICallback: (name, done) => {
    const open = contexts.get(name) ?? openContext(name);
    contexts.set(name, open);
    done(null, open);
  },
});
server.on('request', (_request, response: unknown) => {
  if (response instanceof ServerResponse) response.writeHead(200, headers).end(body);
});
server.removeAllListeners('stream'); // Node's own, which would make a request of each stream
server.on('stream', (stream: ServerHttp2Stream) => {
  stream.respond([':status', '200', ...headers]);
  stream.end(body);
});
server.listen(Number(port), '127.0.0.1');

/** @param name as `nameOf` makes them: `n17.…` */
function openContext(name: string): SecureContext {
  const pem = readFileSync(pairPath(set, Number.parseInt(name.slice(1), 10)));
  return createSecureContext({ ...common, cert: pem, key: pem });
}
