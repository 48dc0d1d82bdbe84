import { Agent, request } from 'node:https';
import type { TLSSocket } from 'node:tls';

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
