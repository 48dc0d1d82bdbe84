import { describe, expect, it } from '@jest/globals';
import { chooseProbeEdges, type ProbeCandidate, type ProbeChoice } from './choose-probe-edges.js';

function fleet(regions: readonly (string | null)[], change: Record<number, Partial<ProbeCandidate>> = {}) {
  return regions.map((region, index): ProbeCandidate => ({
    edgeId: `e${index}`,
    address: `192.0.2.${index}:443`,
    region,
    isUpToDate: true,
    failures: 0,
    ...change[index],
  }));
}

const idsOf = (edges: ProbeChoice['edges']) => edges.map(({ edgeId }) => edgeId);
const choose = (candidates: readonly ProbeCandidate[], rotation = 0, limit = 3) => {
  const { edges, spares, suspects } = chooseProbeEdges(candidates, { limit, rotation });
  return { edges: idsOf(edges), spares: idsOf(spares), suspects: idsOf(suspects) };
};

describe('the edges to probe', () => {
  it('are the whole of a small fleet, whatever its state', () => {
    const edges = fleet(['eu', 'eu', 'us'], { 0: { failures: 9 }, 2: { isUpToDate: false } });
    expect(choose(edges)).toStrictEqual({ edges: ['e0', 'e1', 'e2'], spares: [], suspects: [] });
  });

  it.each([[[]], [['eu']]])('are all there are: %j', (regions) => {
    expect(choose(fleet(regions)).edges).toHaveLength(regions.length);
  });

  it.each(Array.from({ length: 12 }, (_, rotation) => rotation))(
    'are in different regions, rotation %d',
    (rotation) => {
      const fleetOfRegions = fleet(['eu', 'eu', 'eu', 'us', 'us', 'ap', 'ap', null]);
      const { edges } = chooseProbeEdges(fleetOfRegions, { limit: 3, rotation });
      expect(new Set(edges.map(({ region }) => region)).size).toBe(3);
    },
  );

  it.each<[string, (string | null)[], number]>([
    ['without regions', Array.from({ length: 10 }, () => null), 3],
    ['of one region each', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 3],
    ['of uneven regions', ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'c', 'c'], 2],
    ['of even regions, one at a time', ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd'], 1],
  ])('are each in a sample in time: %s', (_name, regions, limit) => {
    const edges = fleet(regions);
    const rotations = Array.from({ length: regions.length ** 2 }, (_, rotation) => rotation);
    const sampled = new Set(rotations.flatMap((rotation) => choose(edges, rotation, limit).edges));
    expect([...sampled].sort()).toEqual(idsOf(edges));
  });

  it('are distinct, and so are the spares', () => {
    const { edges, spares } = choose(fleet(['a', 'b', 'a', 'b', 'a', 'b', 'a']), 5);
    expect(new Set([...edges, ...spares]).size).toBe(6);
  });

  it('are up to date where enough edges are', () => {
    const behind = { isUpToDate: false };
    const edges = fleet(['eu', 'eu', 'us', 'us', 'ap'], { 0: behind, 4: behind });
    expect(choose(edges, 1)).toMatchObject({ edges: expect.arrayContaining(['e1', 'e2', 'e3']) });
    expect(choose(edges, 1).spares.sort()).toEqual(['e0', 'e4']);
  });

  it('leave out an edge that failed lately, even where too few others are left', () => {
    const edges = fleet(['eu', 'eu', 'us', 'us'], { 1: { failures: 1 }, 3: { failures: 4 } });
    expect(choose(edges)).toEqual({ edges: ['e0', 'e2'], spares: [], suspects: ['e1', 'e3'] });
    expect(choose(edges, 1).suspects).toEqual(['e3', 'e1']);
  });

  it('include failing edges where every edge fails', () => {
    const edges = fleet(['eu', 'us', 'ap', 'sa'], Object.fromEntries([0, 1, 2, 3].map((at) => [at, { failures: 2 }])));
    expect(choose(edges)).toEqual({ edges: ['e0', 'e1', 'e2'], spares: ['e3'], suspects: [] });
  });
});
