import { benchApi } from './api/bench-api.js';
import { benchBulk } from './bulk/bench-bulk.js';
import { benchCertificates } from './certificates/bench-certificates.js';
import { benchDashboard } from './dashboard/bench-dashboard.js';
import { benchDev } from './dev/bench-dev.js';
import { benchEdge } from './edge/bench-edge.js';
import { benchEngine } from './engine/bench-engine.js';
import { benchEvents } from './events/bench-events.js';
import type { Figure } from './figure.js';
import { benchOrigin } from './origin/bench-origin.js';
import { benchRows } from './rows/bench-rows.js';
import { benchScale } from './scale/bench-scale.js';
import { benchFair } from './fair/bench-fair.js';
import { beSuite } from './measured/run-suite.js';
import type { SuiteName } from './suites.js';

/** Runs the suite it is given and reports its figures to main.ts. */
const runnable: Readonly<Record<SuiteName, () => Promise<readonly Figure[]>>> = {
  api: benchApi,
  engine: benchEngine,
  fair: benchFair,
  bulk: benchBulk,
  certificates: benchCertificates,
  edge: benchEdge,
  origin: benchOrigin,
  scale: benchScale,
  rows: benchRows,
  events: benchEvents,
  dashboard: benchDashboard,
  dev: benchDev,
};

await beSuite<Figure>(async (report) => {
  const run = runnable[process.argv[2] as SuiteName]; // main.ts has checked the name
  for (const figure of await run()) await report(figure);
});
