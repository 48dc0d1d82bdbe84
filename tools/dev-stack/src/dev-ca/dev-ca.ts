/**
 * The development CA: ACME (RFC 8555) with real signatures, real HTTP-01 validation and real certificates, below a
 * root of its own that lives in its data folder. It speaks plain HTTP, to this machine alone, and trusts nobody less
 * for being a toy: a client that works here was not spared anything but TLS.
 */
import { serveLocally, type Handler } from '../http-server.js';
import { acmeHandler, renewNow } from './acme-handler.js';
import { openAuthority, type CertificateAuthority } from './authority.js';
import type { CaBehaviour } from './behaviour.js';
import type { Http01Options } from './http01.js';
import { Nonces } from './nonces.js';
import type { AcmeContext } from './acme-context.js';
import { AcmeStore } from './orders.js';
import { RequestLimit } from './request-limit.js';

export type DevCaOptions = Http01Options &
  CaBehaviour & {
    /** Keeps the root and its key. */
    readonly dataDir: string;
    /** 0 takes a free one. */
    readonly port?: number;
    readonly clock?: () => Date;
  };

export type DevCa = {
  readonly directoryUrl: string;
  readonly authority: CertificateAuthority;
  /**
   * Moves the suggested windows of certificates into the past, as before a mass revocation (also
   * `POST /control/renew-now`). For any of some names, or for all. Answers how many there were.
   */
  renewNow(wanted?: { readonly names?: readonly string[]; readonly explanationUrl?: string }): number;
  close(): Promise<void>;
};

export async function startDevCa({
  dataDir,
  port = 0,
  dnsServers,
  httpPort,
  clock = () => new Date(),
  ...behaviour
}: DevCaOptions): Promise<DevCa> {
  const authority = await openAuthority(dataDir, clock());
  // URLs inside the answers hold the port, which is known only once the server listens.
  let handler: Handler = async (_request, response) => void response.writeHead(503).end();
  const server = await serveLocally(port, (request, response) => handler(request, response));
  const validation = { dnsServers, httpPort };
  const context: AcmeContext = {
    baseUrl: server.url,
    store: new AcmeStore(),
    authority,
    validation,
    behaviour,
    clock,
  };
  handler = acmeHandler(context, new Nonces(), new RequestLimit(behaviour.requestsPerSecond, clock));
  return {
    directoryUrl: `${server.url}/directory`,
    authority,
    renewNow: ({ names, explanationUrl } = {}) => renewNow(context, names, explanationUrl),
    close: () => server.close(),
  };
}
