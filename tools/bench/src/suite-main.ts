import { benchApi } from './api/bench-api.js';
import { benchCertificates } from './certificates/bench-certificates.js';
import { benchEdge } from './edge/bench-edge.js';
import { edgeSchema, edgeSettings } from './edge/settings.js';
import { benchEngine } from './engine/bench-engine.js';
import { settings, settingsSchema } from './engine/settings.js';
import { benchEvents } from './events/bench-events.js';
import type { Figure } from './figure.js';
import { changedSettings } from './measured/changed-settings.js';
import type { ChangedSetting } from './measured/record.js';
import { beSuite } from './measured/run-suite.js';
import type { SuiteName } from './suites.js';

/** Runs the suite it is given, for main.ts. */

export interface Told {
  readonly settings?: readonly ChangedSetting[];
  readonly figures?: readonly Figure[];
}

interface Suite {
  readonly run: () => Promise<readonly Figure[]>;
  readonly settings: () => readonly ChangedSetting[];
}

const engineDefaults = settingsSchema.parse({});
const among = (names: readonly (keyof typeof settings)[]) => () => changedSettings(names, settings, engineDefaults);

const runnable: Readonly<Record<SuiteName, Suite>> = {
  api: { run: benchApi, settings: () => [] },
  engine: { run: benchEngine, settings: among(['BENCH_DOMAINS', 'BENCH_STORES', 'PROFILE']) },
  certificates: {
    run: benchCertificates,
    settings: among(['BENCH_CERTIFICATES', 'BENCH_CERTIFICATES_AT_ONCE', 'PROFILE']),
  },
  edge: {
    run: benchEdge,
    settings: () => changedSettings(Object.keys(edgeSchema.shape), edgeSettings, edgeSchema.parse({})),
  },
  events: { run: benchEvents, settings: among(['BENCH_STREAMS', 'PROFILE']) },
};

await beSuite<Told>(async (tell) => {
  const suite = runnable[process.argv[2] as SuiteName]; // main.ts has looked
  await tell({ settings: suite.settings() });
  await tell({ figures: await suite.run() });
});
