/**
 * The development CA: ACME (RFC 8555) with real signatures, HTTP-01 validation, CAA checks and certificates, below a root of
 * its own in its data folder. It has those features that `npm start` or a test needs and Pebble lacks: profiles, renewal
 * information that can be moved, revocations that can be listed, and a root that survives a restart. It serves plain HTTP, to
 * this machine alone.
 */
import { serveLocally, type Handler } from '../processes/http-server.js';
import { acmeHandler } from './acme-handler.js';
import { openAuthority, type CertificateAuthority } from './authority.js';
import type { Http01Options } from './validation.js';
import { Nonces } from './jws.js';
import type { AcmeContext, CaBehaviour, CaDelays } from './acme-context.js';
import { AcmeStore } from './orders.js';
import { passedWindow } from './x509.js';
import { listRevocations, type Revocation } from './operations.js';

export type DevCaOptions = Http01Options &
  CaBehaviour & {
    /** Keeps the root and its key. */
    readonly dataDir: string;
    /** 0 takes a free one. */
    readonly port?: number;
    readonly clock?: () => Date;
    readonly delays?: Partial<CaDelays>;
  };

export type DevCa = {
  readonly directoryUrl: string;
  readonly authority: CertificateAuthority;
  /** Moves the suggested windows of the certificates of these names into the past, as before a mass revocation. */
  renewNow(names: readonly string[], explanationUrl: string): void;
  revocations(): readonly Revocation[];
  /** The orders of a name, the oldest first: whether each was finalized. */
  orders(name: string): readonly { readonly isFinalized: boolean }[];
  /** Issues the certificates of the finalized orders of a name that wait for the delay of `finalize`. */
  finish(name: string): Promise<void>;
  close(): Promise<void>;
};

export async function startDevCa({
  dataDir,
  port = 0,
  dnsServers,
  httpPort,
  clock = () => new Date(),
  delays = {},
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
    delays: { finalize: 0, validate: 0, retryAfter: 0, ...delays },
    clock,
  };
  handler = acmeHandler(context, new Nonces());
  return {
    directoryUrl: `${server.url}/directory`,
    authority,
    renewNow: (names, explanationUrl) => {
      for (const issued of context.store.allIssued())
        if (issued.names.some((name) => names.includes(name))) issued.window = passedWindow(clock(), explanationUrl);
    },
    revocations: () => listRevocations(context.store.allIssued()),
    orders: (name) => context.store.ordersOf(name),
    finish: (name) => context.store.finish(name),
    close: () => server.close(),
  };
}
