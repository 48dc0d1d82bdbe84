import { readFileSync } from 'node:fs';
import { startVisitor, type Visitor, type VisitorKind } from '@pets/bench/edge';
import { processTree } from '@pets/bench/engine';
import { startStack, type Site, type SmallDisk, type Stack, type StackProcess } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';

/** Two edges with room for sites, whose processes, stores and disks can be lost. Only the CA and the DNS are substitutes. */
export interface EdgeChaosFixture {
  readonly stack: Stack;
  readonly rootPem: string;
  readonly edges: readonly ChaosEdge[];
}

export interface ChaosEdge {
  readonly httpsPort: number;
  /** The one that follows the feed; those that answer visitors end with it. */
  readonly process: StackProcess;
  readonly disk: SmallDisk;
}

const EDGES = 2;

export async function startEdgeChaosFixture(): Promise<EdgeChaosFixture> {
  const stack = await startStack({
    stores: { files: 'bucket' },
    ca: 'pebble',
    processes: ['api', 'worker'],
    edges: EDGES,
    hasSmallDisks: true,
    settings: { edge: { EDGE_ALLOW_PRIVATE_ORIGINS: 'true' } },
  });
  const edges = stack.edges.map(({ httpsPort, process, disk }): ChaosEdge => {
    if (disk === null) throw new Error('an edge was started without a disk');
    return { httpsPort, process, disk };
  });
  return { stack, edges, rootPem: await stack.issuing.pebble.fetchRoot() };
}

/** The processes of an edge that answer visitors. */
export function servingPids({ process: { pid } }: ChaosEdge): readonly number[] {
  return processTree(pid).filter(answersVisitors);
}

function answersVisitors(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serving-main');
  } catch {
    return false; // it has ended
  }
}

/** Visitors of every site at every edge, all the time, who look at each body. */
export interface Crowd {
  /** Bodies that were not the site's. */
  readonly wrong: readonly string[];
  /** Visits that ended without the site's answer, as while an edge restarts. */
  readonly failed: readonly string[];
  /** Resolves when everybody at an edge has been served once more. @returns what nobody got in time */
  untilServed(edge: number): Promise<readonly string[]>;
  /** Bytes of a site that an edge has sent to all of its visitors. */
  bytesOf(site: Site, edge: number): number;
  join(site: Site): void;
  /** Stops the visits of these sites. */
  forget(sites: readonly Site[]): Promise<void>;
  leave(): Promise<void>;
}

const kinds: readonly VisitorKind[] = ['new-connection', 'keep-alive', 'http2'];
const PAUSE_MS = 100;
const SERVED_LIMIT_MS = 15_000;

interface Place {
  readonly site: Site;
  readonly edge: number;
  readonly kind: VisitorKind;
  readonly visitor: Visitor;
  bytes: number;
}

export function gatherCrowd(fixture: EdgeChaosFixture, sites: readonly Site[]): Crowd {
  const wrong: string[] = [];
  const failed: string[] = [];
  let places: Place[] = [];
  const isKept = new Set(sites);
  const join = (site: Site) => {
    for (const [edge, { httpsPort: port }] of fixture.edges.entries()) {
      for (const kind of kinds) {
        const onBytes = (bytes: number) => void (place.bytes += bytes);
        const onWrong = (what: string) => void wrong.push(`edge ${edge}, ${what}`);
        const onFailed = (what: string) => void failed.push(`edge ${edge}, ${what}`);
        const visit = { kind, site, port, rootPem: fixture.rootPem, pauseMs: PAUSE_MS, onBytes, onWrong, onFailed };
        const place: Place = { site, edge, kind, visitor: startVisitor(visit), bytes: 0 };
        places.push(place);
      }
    }
  };
  const forget = async (gone: readonly Site[]) => {
    const leaving = places.filter(({ site }) => gone.includes(site));
    places = places.filter((place) => !leaving.includes(place));
    await Promise.all(leaving.map(({ visitor }) => visitor.stop()));
  };
  sites.forEach(join);
  return {
    wrong,
    failed,
    join,
    untilServed: async (edge) => {
      const here = places.filter((place) => place.edge === edge && isKept.has(place.site));
      const before = new Map(here.map((place) => [place, place.bytes]));
      const unserved = () => here.filter((place) => place.bytes === before.get(place));
      await waitUntil(() => unserved().length === 0, { timeoutMs: SERVED_LIMIT_MS }).catch(() => undefined); // reported below
      return unserved().map(({ site, kind }) => `edge ${edge} does not serve ${site.host} (${kind})`);
    },
    bytesOf: (site, edge) =>
      places.reduce((sum, place) => (place.site === site && place.edge === edge ? sum + place.bytes : sum), 0),
    forget,
    leave: () => forget(places.map(({ site }) => site)),
  };
}
