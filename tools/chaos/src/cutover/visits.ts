import { X509Certificate } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { visitorAddress } from '@pets/bench/edge';
import type { CutoverFixture, OtherServer } from './cutover-fixture.js';

/** A server that a name can lead to, as its visitors should find it. */
export interface ExpectedServer {
  readonly label: ServerLabel;
  readonly address: string;
  /** SHA-256 of the root that its certificate leads to. */
  readonly rootFingerprint: string;
  readonly body: string;
}

export type ServerLabel = 'elsewhere' | 'here';

/** One visit with a TLS handshake of its own. */
export interface Visit {
  readonly atMs: number;
  /** Server to which the resolver sent the visitor; undefined if the name did not resolve. */
  readonly server: ServerLabel | undefined;
  readonly outcome: 'served' | 'failed' | 'wrong certificate' | 'wrong answer';
  readonly error?: string;
  /** SHA-256 of the certificate that was shown. */
  readonly fingerprint?: string;
}

interface VisitOptions {
  readonly name: string;
  readonly port: number;
  readonly servers: readonly ExpectedServer[];
  /** The roots that visitors trust: those of all servers. */
  readonly roots: readonly string[];
  readonly resolve: ResolveName;
  /** The edge limits what one address may use. */
  readonly localAddress: () => string;
  readonly onVisit: (visit: Visit) => void;
}

interface RunningVisits {
  /** Resolves when the visits that have begun have ended. */
  settle(): Promise<void>;
  /** Resolves when the last visit has ended. */
  stop(): Promise<void>;
}

const VISIT_LIMIT_MS = 10_000;

/** Visits at a fixed rate, however long a visit takes, so that a slow server does not reduce the number of visits. */
function startVisits(options: VisitOptions & { readonly everyMs: number }): RunningVisits {
  const pending = new Set<Promise<void>>();
  let dueAtMs = performance.now();
  let timer: NodeJS.Timeout;
  const next = () => {
    const visiting = visit(options).then(options.onVisit);
    pending.add(visiting);
    void visiting.finally(() => pending.delete(visiting));
    dueAtMs += options.everyMs;
    timer = setTimeout(next, Math.max(dueAtMs - performance.now(), 0));
  };
  next();
  const settle = async () => {
    await Promise.all(pending);
  };
  return {
    settle,
    stop: async () => {
      clearTimeout(timer);
      await settle();
    },
  };
}

async function visit(options: VisitOptions): Promise<Visit> {
  const atMs = Date.now();
  let server: ExpectedServer | undefined;
  try {
    const address = await options.resolve(options.name);
    server = options.servers.find((known) => known.address === address);
    if (server === undefined) throw new Error(`resolved to ${address}`);
    return { atMs, server: server.label, ...evaluateReply(await get(options, address), server) };
  } catch (error) {
    return { atMs, server: server?.label, outcome: 'failed', error: messageOf(error) };
  }
}

interface Reply {
  /** Reason for which a browser would refuse the certificate; null for none. */
  readonly certificateError: string | null;
  readonly rootFingerprint: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

/** The certificate must be valid for the name, and lead to the root of the server the visitor was sent to. */
export function evaluateReply(
  { certificateError, rootFingerprint, fingerprint, status, body }: Reply,
  expected: ExpectedServer,
): Pick<Visit, 'outcome' | 'error' | 'fingerprint'> {
  if (certificateError !== null) return { outcome: 'wrong certificate', error: certificateError, fingerprint };
  if (rootFingerprint !== expected.rootFingerprint)
    return { outcome: 'wrong certificate', error: `not that of the server ${expected.label}`, fingerprint };
  if (status !== 200 || body !== expected.body)
    return { outcome: 'wrong answer', error: `${status} ${body.slice(0, 60)}`, fingerprint };
  return { outcome: 'served', fingerprint };
}

function get({ name, port, roots, localAddress }: VisitOptions, address: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request({
      ...{ host: address, port, servername: name, headers: { host: name }, agent: false },
      ...{ localAddress: localAddress(), signal: AbortSignal.timeout(VISIT_LIMIT_MS) },
      // Verified as always, and reported by `authorizationError`: a wrong certificate is not a failed handshake.
      ...{ ca: [...roots], rejectUnauthorized: false },
    });
    asking.on('error', reject);
    asking.on('response', (response) => void readReply(response).then(resolve, reject));
    asking.end();
  });
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const socket = response.socket as TLSSocket; // of an HTTPS request
  const leaf = socket.getPeerCertificate(true);
  const certificate = {
    certificateError: socket.authorized ? null : messageOf(socket.authorizationError),
    rootFingerprint: rootOf(leaf).fingerprint256,
    fingerprint: leaf.fingerprint256,
  };
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { ...certificate, status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() };
}

function rootOf(leaf: ReturnType<TLSSocket['getPeerCertificate']>): PeerCertificate {
  let certificate: PeerCertificate & { readonly issuerCertificate?: PeerCertificate } = leaf;
  // The certificate of a root is its own issuer.
  while (certificate.issuerCertificate !== undefined && certificate.issuerCertificate !== certificate)
    certificate = certificate.issuerCertificate;
  return certificate;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim();
}

interface TimedAddress {
  readonly address: string;
  readonly ttlSeconds: number;
}

/** Resolves a name to the address that a visitor connects to. */
type ResolveName = (name: string) => Promise<string>;

/** Answers from its cache until the TTL has passed, as a visitor's resolver does. A failed lookup is not cached. */
export function cachingResolver(
  lookUp: (name: string) => Promise<TimedAddress>,
  now: () => number = Date.now,
): ResolveName {
  const cache = new Map<string, { readonly address: Promise<string>; expiresAtMs: number }>();
  return (name) => {
    const cached = cache.get(name);
    if (cached !== undefined && now() < cached.expiresAtMs) return cached.address;
    const answer = lookUp(name);
    // Visitors who come during the lookup wait for it.
    const entry = { address: answer.then(({ address }) => address), expiresAtMs: Number.POSITIVE_INFINITY };
    cache.set(name, entry);
    answer.then(
      ({ ttlSeconds }) => (entry.expiresAtMs = now() + ttlSeconds * 1_000),
      () => cache.delete(name),
    );
    return entry.address;
  };
}

/** Asks a DNS server. The TTL is the lowest of the chain of CNAMEs and the address. */
function dnsLookUp(server: string): (name: string) => Promise<TimedAddress> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([server]);
  return async (name) => {
    const [first] = await resolver.resolve4(name, { ttl: true });
    if (first === undefined) throw new Error(`${name} has no address`);
    return { address: first.address, ttlSeconds: first.ttl };
  };
}

/** How often visitors come, all together. */
const VISITS_PER_SECOND = 50;
/** Visitors use so many resolvers, whose caches expire at different times. */
const RESOLVERS = 5;
const LATE_VISITS_PER_SECOND = 5;

export const EDGE_ADDRESS = '127.0.0.1';
/** The other server has the port of the edge, so a visitor connects to whatever address the name has. */
export const OTHER_ADDRESS = '127.0.0.2';

/** The visitors of one name. */
export interface Visitors {
  /** The visits since a moment of those whose resolvers honour the TTL, when those that have begun have ended. */
  since(ms: number): Promise<readonly Visit[]>;
  /** Starts visitors who stay at one address, whatever the DNS answers meanwhile. */
  visitLate(address: string): LateVisitors;
  stop(): Promise<void>;
}

interface LateVisitors {
  stop(): Promise<readonly Visit[]>;
}

interface VisitorsOptions {
  readonly name: string;
  readonly ttlSeconds: number;
  readonly other: OtherServer;
  readonly bodies: { readonly elsewhere: string; readonly here: string };
}

/** Resolves when the visitors of all resolvers have come. */
export async function startVisitors(
  { dnsServer, httpsPort: port, rootPem }: CutoverFixture,
  { name, ttlSeconds, other, bodies }: VisitorsOptions,
): Promise<Visitors> {
  const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256;
  const servers: readonly ExpectedServer[] = [
    {
      ...{ label: 'elsewhere', address: OTHER_ADDRESS, body: bodies.elsewhere },
      rootFingerprint: fingerprintOf(other.rootPem),
    },
    { ...{ label: 'here', address: EDGE_ADDRESS, body: bodies.here }, rootFingerprint: fingerprintOf(rootPem) },
  ];
  const common = { name, port, servers, roots: [rootPem, other.rootPem], localAddress: visitorAddress };
  const visits: Visit[] = [];
  const running: RunningVisits[] = [];
  for (let index = 0; index < RESOLVERS; index++) {
    const resolve = cachingResolver(dnsLookUp(dnsServer));
    const onVisit = (visit: Visit) => void visits.push(visit);
    running.push(startVisits({ ...common, resolve, onVisit, everyMs: (1_000 * RESOLVERS) / VISITS_PER_SECOND }));
    await sleep((ttlSeconds * 1_000) / RESOLVERS);
  }
  return {
    since: async (ms) => {
      await Promise.all(running.map((each) => each.settle()));
      return visits.filter(({ atMs }) => atMs >= ms);
    },
    visitLate: (address) => {
      const late: Visit[] = [];
      const onVisit = (visit: Visit) => void late.push(visit);
      const resolve = () => Promise.resolve(address);
      const coming = startVisits({ ...common, resolve, onVisit, everyMs: 1_000 / LATE_VISITS_PER_SECOND });
      return {
        stop: () => coming.stop().then(() => late),
      };
    },
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}
