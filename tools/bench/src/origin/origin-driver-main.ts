import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { nameOf } from '../edge/certificate-set.js';
import { visitorAddress } from '../edge/visitors.js';
import { bytesPath } from './application.js';
import type { OriginOrder, OriginSeen } from './origin-driver.js';

/**
 * `origin-driver-main.js ORDER`: a process that sends requests to one server and prints what it saw, as JSON. It offers what all
 * contestants know, so that everybody does the same work: X25519 and AES-128-GCM.
 */
const { port, rootPem, load } = JSON.parse(process.argv[2] ?? '') as OriginOrder; // by `driveOrigin`
const STREAMS = 8;
const LIMIT_MS = 20_000;
/** Larger bodies are sent in pieces. */
const PIECE_BYTES = 64 * 1024;

const offer = { ecdhCurve: 'X25519', ciphers: 'TLS_AES_128_GCM_SHA256', minVersion: 'TLSv1.3' } as const;
const secureContext = createSecureContext({ ...offer, ca: rootPem });
const path = bytesPath(load.bytes);
const piece = Buffer.alloc(Math.min(PIECE_BYTES, load.sentBytes), 'b');
const method = load.sentBytes > 0 ? 'POST' : 'GET';

/** Sends a request and reads its answer. @throws Error for a wrong answer */
type Ask = () => Promise<void>;

const latencies: number[] = [];
let count = 0;
const [first, names] = load.names;
const asking = await Promise.all(
  Array.from({ length: load.connections }, (_, at) =>
    open(nameOf(first + (load.isSequential ? at % names : Math.floor(Math.random() * names)))),
  ),
);
const began = performance.now();
const endsAt = began + load.seconds * 1_000;
if (load.isSequential) await askInOrder(asking);
else await Promise.all(asking.flatMap((ask) => Array.from({ length: streams() }, () => askAgain(ask))));
const seen: OriginSeen = { count, ms: performance.now() - began, latencies };
// An exit before the write is complete would cut off a long text.
process.stdout.write(JSON.stringify(seen), () => process.exit(0));

function streams(): number {
  return load.protocol === 'http2' && load.seconds > 0 ? STREAMS : 1;
}

async function askAgain(ask: Ask): Promise<void> {
  do {
    await ask();
    count += 1;
  } while (performance.now() < endsAt);
}

async function askInOrder(all: readonly Ask[]): Promise<void> {
  do {
    for (const ask of all) {
      const startedAtMs = performance.now();
      await ask();
      latencies.push(performance.now() - startedAtMs);
      count += 1;
    }
  } while (performance.now() < endsAt);
}

async function open(name: string): Promise<Ask> {
  const socket =
    load.protocol === 'direct'
      ? connect({ host: '127.0.0.1', port, noDelay: true })
      : connectTls({
          ...{ host: '127.0.0.1', port, secureContext, rejectUnauthorized: false, servername: name },
          ...{ ALPNProtocols: [load.protocol === 'http1' ? 'http/1.1' : 'h2'], localAddress: visitorAddress() },
        });
  const opened = load.protocol === 'direct' ? 'connect' : 'secureConnect';
  await once(socket, opened, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (load.protocol !== 'http2') return http1(socket, name);
  const session = connectHttp2(`https://${name}:${port}`, { createConnection: () => socket });
  return () => askStream(session, name);
}

/** Reads as little as possible: the end of the head, and a body of the expected length. */
function http1(socket: Socket, name: string): Ask {
  const length = load.sentBytes > 0 ? `Content-Length: ${load.sentBytes}\r\n` : '';
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: ${name}\r\n${length}\r\n`);
  const isInPieces = load.sentBytes > PIECE_BYTES;
  const request = isInPieces ? head : Buffer.concat([head, piece]);
  let [left, received] = [-1, ''];
  let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  socket.on('data', (chunk: Buffer) => {
    if (left === -1) {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      left = received.startsWith('HTTP/1.1 200 ') ? load.bytes - (received.length - end - 4) : -1;
    } else left -= chunk.length;
    if (left < 0) settle?.reject(new Error(`${name} answered ${received.slice(0, 200)}`));
    else if (left === 0) settle?.resolve();
  });
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error(`${name} closed the connection`)));
  return () =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      [left, received] = [-1, ''];
      socket.write(request);
      if (isInPieces) sendPieces(socket).catch(reject);
    });
}

async function sendPieces(target: NodeJS.WritableStream): Promise<void> {
  for (let left = load.sentBytes; left > 0; left -= piece.length) {
    if (!target.write(left >= piece.length ? piece : piece.subarray(0, left))) await once(target, 'drain');
  }
}

function askStream(session: ClientHttp2Session, authority: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = load.sentBytes > 0 ? { 'content-length': load.sentBytes } : {};
    const headers = { ':method': method, ':path': path, ':authority': authority, ...length };
    const stream = session.request(headers, { endStream: load.sentBytes === 0 });
    let [bytes, status] = [0, 0];
    stream.on('response', (received) => (status = received[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    stream.on('error', reject);
    stream.on('end', () => {
      if (status === 200 && bytes === load.bytes) resolve();
      else reject(new Error(`${authority} answered ${status} and ${bytes} bytes`));
    });
    if (load.sentBytes > PIECE_BYTES) sendPieces(stream).then(() => stream.end(), reject);
    else if (load.sentBytes > 0) stream.end(piece);
  });
}
