import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { chromiumLaunch } from '@pets/testing';
import { chromium } from 'playwright-core';

const LIMIT_MS = 15_000;

/** A TLS port of this machine, and the root of its certificates. */
export interface TlsServer {
  readonly port: number;
  readonly ca: string;
}

interface ResumableVisit {
  readonly isResumed: boolean;
  /** Status of an HTTP/1.1 request. */
  readonly status: number;
  /** The newest ticket of the server; undefined when there is none. */
  readonly session: Buffer | undefined;
}

/** One request over a connection of its own, which offers a session. Rejects when the handshake is refused. */
export async function visitWithSession(
  { port, ca }: TlsServer,
  host: string,
  session?: Buffer,
): Promise<ResumableVisit> {
  const socket = await openTls({ port, ca, servername: host, ...(session && { session }) });
  const isResumed = socket.isSessionReused();
  let newest: Buffer | undefined;
  socket.on('session', (ticket) => (newest = ticket));
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? 0);
  return { isResumed, status, session: newest };
}

async function openTls(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ ...options, host: '127.0.0.1', minVersion: 'TLSv1.3', ALPNProtocols: ['http/1.1'] });
  socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('timed out')));
  await once(socket, 'secureConnect');
  return socket;
}

/** A browser of a new visitor. */
export interface Http3Visitor {
  /** @returns status and protocol; rejects when the connection is refused */
  visit(host: string): Promise<{ readonly status: number | undefined; readonly protocol: unknown }>;
  close(): Promise<void>;
}

/**
 * Starts a browser that reaches some hosts at a port of this machine over HTTP/3 only.
 * @param pins by host, of the certificates it trusts
 */
export async function startHttp3Visitor(port: number, pins: ReadonlyMap<string, string>): Promise<Http3Visitor> {
  const { executablePath, args } = chromiumLaunch();
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...args.filter((arg) => arg !== '--disable-quic'),
      '--enable-quic',
      `--origin-to-force-quic-on=${[...pins.keys()].map((host) => `${host}:${port}`).join(',')}`,
      `--ignore-certificate-errors-spki-list=${[...pins.values()].join(',')}`,
      '--host-resolver-rules=MAP * 127.0.0.1',
    ],
  });
  const context = await browser.newContext();
  return {
    visit: async (host) => {
      const page = await context.newPage();
      const response = await page.goto(`https://${host}:${port}/`, { timeout: LIMIT_MS });
      const protocol = await page.evaluate('performance.getEntriesByType("navigation")[0].nextHopProtocol');
      return { status: response?.status(), protocol };
    },
    close: () => browser.close(),
  };
}

/** SHA-256 of the public key of the certificate that a host shows. */
export async function pinOf({ port, ca }: TlsServer, host: string): Promise<string> {
  const socket = await openTls({ port, ca, servername: host });
  const key = new X509Certificate(socket.getPeerCertificate().raw).publicKey.export({ type: 'spki', format: 'der' });
  socket.destroy();
  return createHash('sha256').update(key).digest('base64');
}

/** The answer to a request, and the certificate of its connection. */
interface Visit {
  readonly status: number | undefined;
  readonly serial: string;
  /** Names as OpenSSL prints them: `DNS:docs.example.com`. */
  readonly names: string | undefined;
  readonly issuer: string;
  /** Port of this side of the connection. */
  readonly localPort: number | undefined;
}

/** Sends requests for a host. Accepts any certificate, because the test examines it afterwards. */
export function visitorOf(host: string, { staysConnected }: { readonly staysConnected: boolean }) {
  const agent = new Agent({
    keepAlive: staysConnected,
    maxSockets: 1,
    maxCachedSessions: 0,
    rejectUnauthorized: false,
  });
  return {
    close: () => agent.destroy(),
    visit: (port: string) =>
      new Promise<Visit>((resolve, reject) => {
        const options = { agent, host: '127.0.0.1', port, servername: host, headers: { host: `${host}:${port}` } };
        const asking = request({ ...options, signal: AbortSignal.timeout(10_000) }, (response) => {
          const socket = response.socket as TLSSocket;
          const { serialNumber: serial, subjectaltname: names, issuer } = socket.getPeerCertificate();
          const { localPort } = socket;
          response
            .resume()
            .on('end', () =>
              resolve({ status: response.statusCode, serial, localPort, names, issuer: String(issuer.CN) }),
            );
        });
        asking.on('error', reject).end();
      }),
  };
}
