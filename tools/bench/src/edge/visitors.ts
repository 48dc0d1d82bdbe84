import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request, type RequestOptions } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { LARGE_BYTES, type Site } from '@pets/lab';

/**
 * Visitors of one site at one edge that never give up: each uses one kind of connection, sends requests repeatedly, and
 * reconnects when it is refused. They report when the last byte of the site arrived, and whether every body was correct.
 */
export const visitorKinds = ['new-connection', 'session-offered', 'keep-alive', 'http2', 'download'] as const;
export type VisitorKind = (typeof visitorKinds)[number];

interface Visit {
  readonly kind: VisitorKind;
  readonly site: Site;
  readonly port: number;
  readonly rootPem: string;
  /** The time between two requests. */
  readonly pauseMs?: number;
  /** Called for every piece of the site's content on arrival. */
  readonly onBytes: (bytes: number) => void;
  /** Called for a body of another host. */
  readonly onWrong: (what: string) => void;
  /** Called for a visit that ended without the site's answer. */
  readonly onFailed?: (what: string) => void;
}

export interface Visitor {
  /** Bytes that have arrived and were not read yet; for downloads only. */
  unreadBytes(): number | undefined;
  /** Reads as fast as possible from now on. */
  hurry(): void;
  stop(): Promise<void>;
}

const PAUSE_MS = 10;
const ANSWER_LIMIT_MS = 5_000;

interface State {
  isHurried: boolean;
  unreadBytes: (() => number) | undefined;
  readonly leaving: AbortController;
}

type Ask = () => Promise<void>;

export function startVisitor(visit: Visit): Visitor {
  const state: State = { isHurried: false, unreadBytes: undefined, leaving: new AbortController() };
  const { ask, leave } = visitorOf(visit, state);
  const visiting = (async () => {
    while (!state.leaving.signal.aborted) {
      // Refused or broken off: the next request follows.
      await ask().catch((error: unknown) => {
        if (!state.leaving.signal.aborted) visit.onFailed?.(`${visit.kind}: ${visit.site.host}: ${String(error)}`);
      });
      await sleep(visit.pauseMs ?? PAUSE_MS);
    }
  })();
  return {
    unreadBytes: () => state.unreadBytes?.(),
    hurry: () => void (state.isHurried = true),
    stop: async () => {
      state.leaving.abort();
      leave();
      await visiting;
    },
  };
}

function visitorOf(visit: Visit, state: State): { readonly ask: Ask; readonly leave: () => void } {
  switch (visit.kind) {
    case 'new-connection':
      return { ask: () => askHttp1(visit, optionsOf(visit)), leave: () => undefined };
    case 'session-offered':
      return { ask: offerSession(visit), leave: () => undefined };
    case 'keep-alive': {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const options = { ...optionsOf(visit), agent };
      return { ask: () => askHttp1(visit, options), leave: () => agent.destroy() };
    }
    case 'http2':
      return askHttp2(visit);
    case 'download':
      return { ask: () => download(visit, state), leave: () => undefined };
  }
}

function optionsOf({ site, port, rootPem }: Visit) {
  const { host } = site;
  const localAddress = visitorAddress();
  return {
    host: '127.0.0.1',
    port,
    localAddress,
    servername: host,
    ca: rootPem,
    headers: { host },
    agent: false,
  } as const;
}

/** Offers the TLS session of its last connection: an edge that resumes it would not check the name again. */
function offerSession(visit: Visit): Ask {
  let session: Buffer | undefined;
  return async () => {
    const options = { ...optionsOf(visit), ...(session !== undefined && { session }) };
    const socket = connect(options);
    socket.on('error', () => undefined); // the request reports it
    socket.on('session', (fresh) => (session = fresh));
    await askHttp1(visit, { ...optionsOf(visit), createConnection: () => socket });
    session ??= socket.getSession();
    socket.destroy();
  };
}

function askHttp1(visit: Visit, options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request({ ...options, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        if (response.statusCode === 200) visit.onBytes(chunk.length);
        chunks.push(chunk);
      });
      response.on('end', () => {
        check(visit, response.statusCode ?? 0, Buffer.concat(chunks).toString());
        resolve();
      });
    });
    asking.on('error', reject).end();
  });
}

function askHttp2(visit: Visit): { readonly ask: Ask; readonly leave: () => void } {
  const { site, port, rootPem } = visit;
  const options = { servername: site.host, ca: rootPem, localAddress: visitorAddress() };
  let session: ClientHttp2Session | undefined;
  const ask = async () => {
    if (session === undefined || session.destroyed || session.closed) {
      session = connectHttp2(`https://127.0.0.1:${port}`, options);
      session.on('error', () => undefined); // its streams report it
    }
    await Promise.all([askStream(visit, session), askStream(visit, session)]);
  };
  return { ask, leave: () => session?.destroy() };
}

function askStream(visit: Visit, session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': '/', ':authority': visit.site.host });
    const chunks: Buffer[] = [];
    let status = 0;
    stream.setTimeout(ANSWER_LIMIT_MS, () => stream.destroy(new Error('no answer in time')));
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => {
      if (status === 200) visit.onBytes(chunk.length);
      chunks.push(chunk);
    });
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('closed')));
    stream.on('end', () => {
      if (status !== 0) check(visit, status, Buffer.concat(chunks).toString());
      resolve();
    });
  });
}

/** Reads piece by piece with pauses, as somebody far away does, so that a removal meets it half-way. */
async function download(visit: Visit, state: State): Promise<void> {
  const { site, port } = visit;
  const socket = connect(optionsOf(visit));
  socket.on('error', () => undefined); // its close tells
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    socket.write(`GET /large.bin HTTP/1.1\r\nHost: ${site.host}\r\n\r\n`);
    state.unreadBytes = () => unreadBytes(port, socket.localPort ?? 0) + socket.readableLength;
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      visit.onBytes(chunk.length);
      if (bytes > LARGE_BYTES) socket.destroy();
      if (state.isHurried) return;
      socket.pause();
      setTimeout(() => socket.resume(), PAUSE_MS);
    });
    await once(socket, 'close', { signal: state.leaving.signal });
  } finally {
    socket.destroy();
    state.unreadBytes = undefined;
  }
}

/** The edge's own pages are no content: only a 200 claims to be the site. */
function check({ site, kind, onWrong, onFailed }: Visit, status: number, body: string): void {
  if (status !== 200) onFailed?.(`${kind}: ${site.host} answered ${status}`);
  else if (body !== site.body) onWrong(`${kind}: ${site.host} answered ${body.slice(0, 60)}`);
}

/**
 * Bytes of a local connection that have arrived and were not read yet. Infinite for a connection that was reset: the kernel
 * does not know it any more, so everything that is read arrived before.
 * @param server port of the server at 127.0.0.1
 * @param client port of the client at 127.0.0.1
 */
function unreadBytes(server: number, client: number): number {
  // Each line: number, local and remote address, state, and tx_queue:rx_queue, all hexadecimal (proc_net_tcp.txt).
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local = '', remote = '', , queues = ''] = line.trim().split(/\s+/);
    if (portOfEndpoint(local) === client && portOfEndpoint(remote) === server)
      return Number.parseInt(queues.split(':')[1] ?? '0', 16);
  }
  return Infinity;
}

function portOfEndpoint(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '0', 16);
}

/** A random local address (127.0.0.0/8) for one visitor, because the edge limits what one address may use. */
export function visitorAddress(): string {
  const part = () => 1 + Math.floor(Math.random() * 254);
  return `127.${part()}.${part()}.${part()}`;
}
