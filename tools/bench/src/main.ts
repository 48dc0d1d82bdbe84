import { benchApi } from './api/bench-api.js';
import { benchCertificates } from './certificates/bench-certificates.js';
import { benchEdge } from './edge/bench-edge.js';
import { benchEngine } from './engine/bench-engine.js';
import { benchEvents } from './events/bench-events.js';
import type { Figure } from './figure.js';

/**
 * `npm run bench -- SUITE`, or all suites. Measures ours and the others in one run, in turns, and prints one line
 * `ratio NAME VALUE` a figure: only ratios hold on machines that others use too. Exit 1 when a bar is missed.
 */
const suites: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  api: benchApi,
  engine: benchEngine,
  certificates: benchCertificates,
  edge: benchEdge,
  events: benchEvents,
};

const wanted = process.argv[2];
const chosen = wanted === undefined ? Object.values(suites) : [suites[wanted]];
for (const suite of chosen) {
  if (suite === undefined) {
    process.stderr.write(`there is no suite ${wanted ?? ''}; there are: ${Object.keys(suites).join(', ')}\n`);
    process.exit(1);
  }
  for (const { name, ratio, bar } of await suite()) {
    const isMissed = ratio < bar;
    process.stdout.write(`ratio ${name} ${ratio.toFixed(2)}${isMissed ? `   missed: ${bar} was to be reached` : ''}\n`);
    if (isMissed) process.exitCode = 1;
  }
}
// What a contestant has left open must not keep a finished run from ending.
process.exit(process.exitCode);
