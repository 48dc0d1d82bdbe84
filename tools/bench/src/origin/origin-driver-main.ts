import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { nameOf } from '../edge/certificate-set.js';
import { visitorAddress } from '../edge/visitor-address.js';
import { bytesPath } from './application.js';
import type { OriginOrder, OriginSeen } from './origin-driver.js';

/**
 * `origin-driver-main.js ORDER`: a process that sends requests to one server and prints what it saw, as JSON. It offers what all
 * contestants know, so that everybody does the same work: X25519 and AES-128-GCM.
 */
const { port, rootPem, load } = JSON.parse(process.argv[2] ?? '') as OriginOrder; // by `driveOrigin`
const STREAMS = 8;
const LIMIT_MS = 20_000;

const offer = { ecdhCurve: 'X25519', ciphers: 'TLS_AES_128_GCM_SHA256', minVersion: 'TLSv1.3' } as const;
const secureContext = createSecureContext({ ...offer, ca: rootPem });
const path = bytesPath(load.bytes);
const body = Buffer.alloc(load.sentBytes, 'b');
const method = load.sentBytes > 0 ? 'POST' : 'GET';
const hasOne = load.connections === 1;

const latencies: number[] = [];
let count = 0;
const sockets = await Promise.all(
  Array.from({ length: load.connections }, () => open(nameOf(Math.floor(Math.random() * load.names)))),
);
const began = performance.now();
const endsAt = began + load.seconds * 1_000;
await Promise.all(sockets.map(load.protocol === 'http1' ? askHttp1 : askHttp2));
const seen: OriginSeen = { count, ms: performance.now() - began, latencies };
// An exit before the write is complete would cut off a long text.
process.stdout.write(JSON.stringify(seen), () => process.exit(0));

interface Opened {
  readonly socket: TLSSocket;
  readonly name: string;
}

async function open(name: string): Promise<Opened> {
  const socket = connectTls({
    ...{ host: '127.0.0.1', port, secureContext, rejectUnauthorized: false, servername: name },
    ...{ ALPNProtocols: [load.protocol === 'http1' ? 'http/1.1' : 'h2'], localAddress: visitorAddress() },
  });
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(LIMIT_MS) });
  return { socket, name };
}

function done(startedAtMs: number): boolean {
  count += 1;
  const nowMs = performance.now();
  if (hasOne) latencies.push(nowMs - startedAtMs);
  return nowMs >= endsAt;
}

/** Reads as little as possible: a head that ends in its first piece, and a body of the expected length. */
function askHttp1({ socket, name }: Opened): Promise<void> {
  const length = load.sentBytes > 0 ? `Content-Length: ${load.sentBytes}\r\n` : '';
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: ${name}\r\n${length}\r\n`);
  const request = load.sentBytes > 0 ? Buffer.concat([head, body]) : head;
  return new Promise((resolve, reject) => {
    let [left, startedAtMs, received] = [-1, 0, ''];
    const ask = () => {
      startedAtMs = performance.now();
      [left, received] = [-1, ''];
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      if (left === -1) {
        received += chunk.toString('latin1');
        const end = received.indexOf('\r\n\r\n');
        if (end === -1) return;
        if (!received.startsWith('HTTP/1.1 200 ')) return reject(new Error(`${name} answered ${received.slice(0, 200)}`));
        left = load.bytes - (received.length - end - 4);
      } else left -= chunk.length;
      if (left < 0) return reject(new Error(`${name} answered ${-left} bytes too many: ${received.slice(0, 200)}`));
      if (left > 0) return;
      if (done(startedAtMs)) resolve();
      else ask();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${name} closed the connection`)));
    ask();
  });
}

async function askHttp2({ socket, name }: Opened): Promise<void> {
  const session = connectHttp2(`https://${name}:${port}`, { createConnection: () => socket });
  const streams = hasOne ? 1 : STREAMS;
  await Promise.all(Array.from({ length: streams }, () => askOn(session, name)));
}

async function askOn(session: ClientHttp2Session, authority: string): Promise<void> {
  for (;;) {
    const startedAtMs = performance.now();
    await askStream(session, authority);
    if (done(startedAtMs)) return;
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
    if (load.sentBytes > 0) stream.end(body);
  });
}
