import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { visitorAddress } from '@pets/bench/edge';
import {
  cachingResolver,
  dnsLookUp,
  startVisits,
  type ExpectedServer,
  type RunningVisits,
  type Visit,
} from './visits.js';
import type { CutoverFixture, OtherServer } from './cutover-fixture.js';

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
