import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as http2Connect, type ClientHttp2Session, type IncomingHttpHeaders as Http2Headers } from 'node:http2';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as tcpConnect, type Socket } from 'node:net';
import { connect as tlsConnect, type ConnectionOptions, type TLSSocket } from 'node:tls';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
}

export interface Asking {
  readonly method?: string;
  readonly path?: string;
  /** Host header, when it is not the name of the connection. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

const LIMIT_MS = 20_000;

/** Sends requests over real sockets and TLS to the ports that the edge is bound to. */
export class Visitor {
  readonly #ports: () => { readonly http: number; readonly https: number };
  readonly #trusted: string[] = [];
  readonly #open = new Set<{ destroy(): void }>();

  constructor(ports: () => { readonly http: number; readonly https: number }) {
    this.#ports = ports;
  }

  trust(certificate: string): void {
    this.#trusted.push(certificate);
  }

  /** Closes what was left open. */
  leave(): void {
    for (const connection of this.#open) connection.destroy();
    this.#open.clear();
  }

  /** HTTP/1.1 over TLS on a connection of its own. */
  secure(servername: string, asking: Asking = {}, agent: Agent | false = false): Promise<Reply> {
    const options: RequestOptions = {
      ...this.#secureOptions(servername),
      ...requestOptions(servername, asking),
      agent,
    };
    return answerTo(httpsRequest(options));
  }

  plain(host: string, asking: Asking = {}): Promise<Reply> {
    const options = {
      host: '127.0.0.1',
      port: this.#ports().http,
      agent: false as const,
      ...requestOptions(host, asking),
    };
    return answerTo(httpRequest(options));
  }

  keepAliveAgent(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.#open.add(agent);
    return agent;
  }

  async http2(servername: string): Promise<ClientHttp2Session> {
    const options = { ...this.#secureOptions(servername), ALPNProtocols: ['h2'] };
    const session = http2Connect(`https://${servername}`, options);
    this.#open.add(session);
    session.on('error', () => undefined);
    await once(session, 'connect', { signal: AbortSignal.timeout(LIMIT_MS) });
    return session;
  }

  /** A finished handshake. @throws what the handshake failed with */
  async handshake(servername: string | undefined, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = tlsConnect({
      ...this.#secureOptions(servername ?? ''),
      ...(servername === undefined ? { servername: '' } : {}),
      ...options,
    });
    this.#open.add(socket);
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(LIMIT_MS) });
    return socket;
  }

  async tcp(): Promise<Socket> {
    const socket = tcpConnect(this.#ports().http, '127.0.0.1');
    this.#open.add(socket);
    await once(socket, 'connect', { signal: AbortSignal.timeout(LIMIT_MS) });
    return socket;
  }

  #secureOptions(servername: string) {
    return { host: '127.0.0.1', port: this.#ports().https, servername, ca: this.#trusted };
  }
}

/** A request on an open HTTP/2 session. */
export function askHttp2(session: ClientHttp2Session, authority: string, asking: Asking = {}): Promise<Reply> {
  const { method = 'GET', path = '/', headers = {} } = asking;
  const stream = session.request({ ':authority': authority, ':method': method, ':path': path, ...headers });
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const replies: Http2Headers[] = [];
    stream.setTimeout(LIMIT_MS, () => stream.destroy(new Error('no answer in time')));
    stream.on('error', reject);
    stream.on('response', (reply) => replies.push(reply));
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    stream.on('close', () => {
      const [reply] = replies;
      if (reply === undefined) reject(new Error('closed without an answer'));
      else resolve({ status: Number(reply[':status']), headers: reply, ...contentOf(chunks) });
    });
  });
}

/** Sends bytes as they are and returns all that comes back until the other side closes. */
export async function exchangeRaw(socket: Socket, text: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  socket.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  socket.write(text, 'latin1');
  await once(socket, 'close', { signal: AbortSignal.timeout(2 * LIMIT_MS) });
  return Buffer.concat(chunks).toString();
}

function requestOptions(servername: string, { method = 'GET', path = '/', host = servername, headers = {} }: Asking) {
  return { method, path, headers: { host, ...headers }, timeout: LIMIT_MS };
}

function answerTo(request: ReturnType<typeof httpRequest>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('response', (response) => {
      const chunks: Uint8Array[] = [];
      response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          ...contentOf(chunks),
        });
      });
    });
    request.end();
  });
}

function contentOf(chunks: readonly Uint8Array[]): { body: string; bytes: Buffer } {
  const bytes = Buffer.concat(chunks);
  return { body: bytes.toString(), bytes };
}
