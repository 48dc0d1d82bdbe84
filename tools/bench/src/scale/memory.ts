import { drive } from '../edge/driver.js';
import type { Figure } from '../figure.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';
import { EDGE_NAMES, SERVED_NAMES } from './settings.js';

/** What the edge counts for an open certificate of the set, whose chain has 1 KB (`apps/edge/src/tls/secure-contexts.ts`). */
const CONTEXT_BYTES = 37 * 1_024;
const FEW_CONTEXTS = 2_000;
const LOOKUPS = 'edge_certificate_lookups_total';

interface Memory {
  readonly megabytes: number;
  readonly hits: number;
}

/** One edge with all names, of which some thousand are visited twice: with memory for the certificates of all, and of few. */
export async function measureMemory(ground: ScaleGround): Promise<Figure[]> {
  const all = await visit(ground, 'memory-all', SERVED_NAMES * 1.2);
  const few = await visit(ground, 'memory-few', FEW_CONTEXTS);
  return [
    { name: 'scale/memory-mb', ratio: all.megabytes, bar: 700, isMaximum: true },
    { name: 'scale/memory-context-hits', ratio: all.hits, bar: 0.95 },
    { name: 'scale/memory-2000-contexts-mb', ratio: few.megabytes, bar: 300, isMaximum: true },
  ];
}

async function visit(ground: ScaleGround, name: string, contexts: number): Promise<Memory> {
  const environment = { EDGE_CONTEXT_CACHE_BYTES: String(contexts * CONTEXT_BYTES) };
  const { edge } = await ScaleEdge.start(ground, EDGE_NAMES, { name, processes: 1, environment });
  try {
    const load = { kind: 'each', first: 0, names: SERVED_NAMES } as const;
    await drive(edge, ground.set.rootPem, load);
    const before = await lookups(edge);
    await drive(edge, ground.set.rootPem, { ...load, kind: 'hits' });
    const after = await lookups(edge);
    const hits = (after.hits - before.hits) / (after.all - before.all);
    const megabytes = edge.memoryMb();
    const share = `${(hits * 100).toFixed(1)} % of the second visits found their context`;
    process.stdout.write(`${name}: ${megabytes.toFixed(0)} MB with ${SERVED_NAMES} names visited, ${share}\n`);
    return { megabytes, hits };
  } finally {
    await edge.stop();
  }
}

async function lookups(edge: ScaleEdge) {
  return { all: await edge.counter(LOOKUPS), hits: await edge.counter(LOOKUPS, 'result="hit"') };
}
