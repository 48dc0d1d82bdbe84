import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import autocannon from 'autocannon';
import { nameOf } from './certificate-set.js';
import type { Load, Order, Seen } from './contestant.js';
import { visitorAddress } from './visitors.js';

/**
 * `driver-main.js ORDER`: a process that loads one server and prints what it saw, as JSON. It resumes no session and
 * offers what all contestants know, so that everybody does the same work: X25519 and AES-128-GCM.
 */
const { port, rootPem, load } = JSON.parse(process.argv[2] ?? '') as Order; // by `drive`
const AT_ONCE = 8;
const CONNECTIONS = 32;
const SESSIONS = 8;
const STREAMS = 8;
/** The same for everybody; long, for a server that has yet to load a certificate behind others. */
const LIMIT_MS = 20_000;
const FILE_BYTES = 10_240;

const offer = { ecdhCurve: 'X25519', ciphers: 'TLS_AES_128_GCM_SHA256', minVersion: 'TLSv1.3' } as const;
const secureContext = createSecureContext({ ...offer, ca: rootPem });
const secure = { host: '127.0.0.1', port, secureContext } as const;
/** The certificate is looked at in `hits`; looking at it again in each handshake would keep the driver busy. */
const unchecked = { ...secure, rejectUnauthorized: false } as const;

const began = performance.now();
const seen = await perform(load);
// An exit before the write is complete would cut off a long text.
process.stdout.write(JSON.stringify({ ms: performance.now() - began, ...seen } satisfies Seen), () => process.exit(0));

function perform(wanted: Load): Promise<Omit<Seen, 'ms'>> {
  switch (wanted.kind) {
    case 'handshakes': {
      const endsAt = began + wanted.seconds * 1_000;
      return atOnce(AT_ONCE, () => (performance.now() < endsAt ? anyOf(wanted.names) : undefined), handshake);
    }
    case 'each': {
      let next = wanted.first;
      return atOnce(AT_ONCE, () => (next < wanted.first + wanted.names ? next++ : undefined), handshake);
    }
    case 'hits':
      return hits(wanted.first, wanted.names);
    case 'http1':
      return http1(wanted.names, wanted.seconds);
    case 'http2':
      return http2(wanted.names, wanted.seconds);
  }
}

async function atOnce(
  width: number,
  next: () => number | undefined,
  work: (index: number) => Promise<void>,
): Promise<{ count: number }> {
  let count = 0;
  const worker = async () => {
    for (let index = next(); index !== undefined; index = next()) {
      await work(index);
      count++;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return { count };
}

async function handshake(index: number): Promise<void> {
  const socket = await open(connectTo(nameOf(index), 'http/1.1', unchecked));
  const closed = once(socket, 'close');
  socket.end();
  await closed;
}

async function hits(first: number, names: number): Promise<{ count: number; latencies: number[] }> {
  const latencies: number[] = [];
  for (let index = first; index < first + names; index++) {
    const startedAt = performance.now();
    const servername = nameOf(index);
    const socket = await open(connectTo(servername, 'http/1.1', secure));
    socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
    let [bytes, head] = [0, ''];
    for await (const chunk of socket) {
      head ||= (chunk as Buffer).toString('latin1'); // no encoding is set, so chunks are bytes
      bytes += (chunk as Buffer).length;
    }
    if (!head.startsWith('HTTP/1.1 200 ') || bytes < FILE_BYTES) throw new Error(`${servername} answered ${head}`);
    latencies.push(performance.now() - startedAt);
  }
  return { count: names, latencies };
}

async function http1(names: number, seconds: number): Promise<{ count: number; ms: number }> {
  const startedAt = performance.now();
  const { requests, non2xx, errors } = await autocannon({
    url: `https://127.0.0.1:${port}/`,
    connections: CONNECTIONS,
    duration: seconds,
    tlsOptions: offer,
    setupClient: (client) => {
      const servername = nameOf(anyOf(names));
      Object.assign(Reflect.get(client, 'opts') as object, { servername }); // of this connection alone, unlike the option
      client.setHeaders({ host: servername });
    },
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were no success, ${errors} requests failed`);
  return { count: requests.total, ms: performance.now() - startedAt };
}

async function http2(names: number, seconds: number): Promise<{ count: number }> {
  const endsAt = performance.now() + seconds * 1_000;
  let count = 0;
  const sessions = Array.from({ length: SESSIONS }, () => {
    const servername = nameOf(anyOf(names));
    const socket = connectTo(servername, 'h2', unchecked);
    return { servername, session: connectHttp2(`https://${servername}:${port}`, { createConnection: () => socket }) };
  });
  const askOn = async (session: ClientHttp2Session, authority: string) => {
    while (performance.now() < endsAt) {
      await ask(session, authority);
      count++;
    }
  };
  await Promise.all(
    sessions.flatMap(({ session, servername }) => Array.from({ length: STREAMS }, () => askOn(session, servername))),
  );
  return { count };
}

function ask(session: ClientHttp2Session, authority: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': '/', ':authority': authority });
    let [bytes, status] = [0, 0];
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    stream.on('error', reject);
    stream.on('end', () => {
      if (status === 200 && bytes === FILE_BYTES) resolve();
      else reject(new Error(`${authority} answered ${status} and ${bytes} bytes`));
    });
  });
}

function connectTo(servername: string, protocol: 'http/1.1' | 'h2', options: typeof secure): TLSSocket {
  const from = { localAddress: visitorAddress() };
  return connectTls({ ...options, ...from, servername, ALPNProtocols: [protocol] });
}

async function open(socket: TLSSocket): Promise<TLSSocket> {
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(LIMIT_MS) });
  return socket;
}

function anyOf(names: number): number {
  return Math.floor(Math.random() * names);
}
