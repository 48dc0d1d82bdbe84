import { waitUntil } from '@pets/dev-stack';
import { startVisitor, type Site, type Visitor, type VisitorKind } from '@pets/bench/edge';
import type { EdgeChaosFixture } from './edge-chaos-fixture.js';

/** Visitors of every site at every edge, all the time, who look at each body. */
export interface Crowd {
  /** Bodies that were not the site's. */
  readonly wrong: readonly string[];
  /** Resolves when everybody at an edge has been served once more. @returns what nobody got in time */
  untilServed(edge: number): Promise<readonly string[]>;
  /** Bytes of a site that an edge has sent to all of its visitors. */
  bytesOf(site: Site, edge: number): number;
  join(site: Site): void;
  /** Nobody asks for these sites any more. */
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
  let places: Place[] = [];
  const isKept = new Set(sites);
  const join = (site: Site) => {
    for (const [edge, { httpsPort: port }] of fixture.edges.entries()) {
      for (const kind of kinds) {
        const onBytes = (bytes: number) => void (place.bytes += bytes);
        const onWrong = (what: string) => void wrong.push(`edge ${edge}, ${what}`);
        const visit = { kind, site, port, rootPem: fixture.rootPem, pauseMs: PAUSE_MS, onBytes, onWrong };
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
