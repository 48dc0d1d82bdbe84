import type { CutoverFixture } from './cutover-fixture.js';
import { startOtherServer } from './other-server.js';
import { OTHER_ADDRESS, startVisitors, type Visitors } from './visitors.js';

/** What is read of a domain of the API. */
interface MovingDomain {
  readonly state: string;
  /** Whether checks have found that a live domain points elsewhere. */
  readonly misconfigured: boolean;
  readonly dns: { readonly checkedAt: string | null };
  readonly records: readonly { readonly purpose: string; readonly value: string }[];
  readonly readiness: { readonly state: string } | null;
  readonly certificate: { readonly state: string; readonly method: string | null } | null;
}

/** One site with its visitors, from before it comes until after it has left. */
export interface Move {
  readonly name: string;
  readonly seconds: number;
  readonly ttlSeconds: number;
  readonly visitors: Visitors;
  getDomain(): Promise<MovingDomain>;
  /** Sends a request for the domain, which must be answered with this status. */
  call(method: 'POST' | 'DELETE', path: '' | '/verify', status: number): Promise<void>;
  /** Replaces the record of the name, as a DNS provider does: no question is answered with neither. @returns when */
  switchTo(target: string): Promise<number>;
  stop(): Promise<void>;
}

/** Where the name points while the site lives elsewhere. */
export const OTHER_TARGET = 'sites.other-host.com';
const MAX_TTL_SECONDS = 20;

interface MoveOptions {
  readonly name: string;
  readonly folder: string;
  /** How long visitors come after each switch. */
  readonly seconds: number;
}

/** The site is live on the other server, and visited. */
export async function startMove(fixture: CutoverFixture, { name, folder, seconds }: MoveOptions): Promise<Move> {
  const { client, records, projectId, httpsPort: port, siteBody } = fixture;
  const ttlSeconds = Math.min(MAX_TTL_SECONDS, Math.floor(seconds / 3));
  const bodies = { elsewhere: `${name} on the other server`, here: siteBody };
  const other = await startOtherServer({ folder, names: [name], address: OTHER_ADDRESS, port, body: bodies.elsewhere });
  await records.put({ name: OTHER_TARGET, type: 'A', data: OTHER_ADDRESS });
  const switchTo = async (target: string) => {
    await records.put({ name, type: 'CNAME', data: `${target}.`, ttl: ttlSeconds });
    return Date.now();
  };
  await switchTo(OTHER_TARGET);
  const visitors = await startVisitors(fixture, { name, ttlSeconds, other, bodies });
  const path = `/v1/projects/${projectId}/domains/${name}`;
  return {
    ...{ name, seconds, ttlSeconds, visitors, switchTo },
    getDomain: async () => (await client.api<MovingDomain>('GET', path)).body,
    call: async (method, suffix, expected) => {
      const { status, text } = await client.api(method, path + suffix);
      if (status !== expected) throw new Error(`${method} ${path}${suffix} was answered ${status} ${text}`);
    },
    stop: async () => {
      await visitors.stop();
      await other.close();
    },
  };
}
