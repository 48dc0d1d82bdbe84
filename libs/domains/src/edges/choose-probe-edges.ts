/** An edge that reports, as a choice of edges to probe needs it. */
export interface ProbeCandidate {
  readonly edgeId: string;
  /** `host:port` of its TLS listener. */
  readonly address: string;
  /** Null where the edge names none: all of those count as one region. */
  readonly region: string | null;
  /** Whether it has applied the version of the names that are probed. */
  readonly isUpToDate: boolean;
  /** Probes in a row that it failed while other edges passed. */
  readonly failures: number;
}

export interface ProbeChoice {
  /** The edges that must present the certificate. */
  readonly edges: readonly ProbeCandidate[];
  /** In the place of those that cannot be reached. */
  readonly spares: readonly ProbeCandidate[];
  /** Edges outside the sample that failed lately; the next one to find out whether it has recovered comes first. */
  readonly suspects: readonly ProbeCandidate[];
}

export interface ProbeChoiceOptions {
  /** `PROBE_EDGES`. A fleet up to this size is probed whole. */
  readonly limit: number;
  /** Counts up with each choice, so that in time every edge is in a sample. */
  readonly rotation: number;
}

/**
 * Chooses a sample of a larger fleet: one edge of each region before a second one of any, up-to-date edges before others.
 * Edges that failed lately decide nothing while there are others.
 * @param candidates in an order that stays the same from call to call
 */
export function chooseProbeEdges(
  candidates: readonly ProbeCandidate[],
  { limit, rotation }: ProbeChoiceOptions,
): ProbeChoice {
  if (candidates.length <= limit) return { edges: candidates, spares: [], suspects: [] };
  const healthy = candidates.filter(({ failures }) => failures === 0);
  const usable = healthy.length > 0 ? healthy : candidates;
  const ranked = [true, false].flatMap((upToDate) =>
    spread(
      usable.filter(({ isUpToDate }) => isUpToDate === upToDate),
      { count: 2 * limit, rotation },
    ),
  );
  const failing = candidates.filter((candidate) => !usable.includes(candidate));
  return {
    edges: ranked.slice(0, limit),
    spares: ranked.slice(limit, 2 * limit),
    suspects: rotated(failing, rotation),
  };
}

/**
 * Takes turns between regions. With R regions the first region changes with each rotation, and the first edge of each region
 * with every R-th: if both changed at once, some edges would never come first.
 */
function spread(
  edges: readonly ProbeCandidate[],
  { count, rotation }: { count: number; rotation: number },
): ProbeCandidate[] {
  const regions = [...Map.groupBy(edges, ({ region }) => region).values()];
  const turns = rotated(regions, rotation).map((region) => rotated(region, Math.floor(rotation / regions.length)));
  const rounds = Array.from({ length: count }, (_, round) => turns.flatMap((region) => region.slice(round, round + 1)));
  return rounds.flat();
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const first = by % Math.max(list.length, 1);
  return [...list.slice(first), ...list.slice(0, first)];
}
