import { openFileStorage } from '@pets/platform';
import type { FleetOrder, FleetReport } from './fleet.js';
import { SimulatedEdge } from './simulated-edge.js';

/** `fleet-main.js ORDER`: a process with many simulated edges that join at once, and reports to its parent what they see. */
const order = JSON.parse(process.argv[2] ?? '') as FleetOrder; // by `startFleet`
const storage = await openFileStorage(order.storageUrl);
let inSync = 0;
/** How many edges have each version stored. */
const stored = new Map<number, number>();

const edges = Array.from(
  { length: order.edges },
  () =>
    new SimulatedEdge({
      ...order,
      storage,
      onInSync: () => {
        if (++inSync === order.edges) report({ kind: 'in-sync', atMs: now() });
      },
      onStored: (version) => {
        const count = (stored.get(version) ?? 0) + 1;
        stored.set(version, count);
        if (count === order.edges) report({ kind: 'stored', version, atMs: now() });
      },
      onAborted: (reason) => report({ kind: 'aborted', reason }),
    }),
);
process.once('disconnect', () => process.exit());
for (const edge of edges) void edge.run();

function report(message: FleetReport): void {
  process.send?.(message);
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
