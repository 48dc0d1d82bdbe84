import { drive } from '../edge/driver.js';
import type { Figure } from '../figure.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';
import { ASKED_NAMES, EDGE_NAMES, SERVED_NAMES } from './settings.js';

/** Some may be asked for twice. */
const MAX_FETCHES = ASKED_NAMES * 1.1;
const MAX_PAUSE_MS = 50;

/** One edge without certificates on its disk: what it fetches, and how long it blocks, when some thousand are asked for. */
export async function measureCertificates(ground: ScaleGround): Promise<Figure[]> {
  const { edge } = await ScaleEdge.start(ground, EDGE_NAMES, { name: 'certificates', processes: 1 });
  try {
    print(`longest pause of an event loop until it is ready: ${(await edge.longestPauseMs()).toFixed(0)} ms`);
    const load = { kind: 'each', first: SERVED_NAMES, names: ASKED_NAMES } as const;
    const { ms } = await drive(edge, ground.set.rootPem, load);
    const pauseMs = await edge.longestPauseMs();
    const fetches = await edge.counter('edge_certificate_fetches_total');
    print(
      `${ASKED_NAMES} of ${EDGE_NAMES} certificates asked for in ${(ms / 1_000).toFixed(1)} s: ` +
        `${fetches} fetches, longest pause ${pauseMs.toFixed(0)} ms`,
    );
    return [
      { name: 'scale/certificate-fetches', ratio: fetches, bar: MAX_FETCHES, isMaximum: true },
      { name: 'scale/certificate-pause-ms', ratio: pauseMs, bar: MAX_PAUSE_MS, isMaximum: true },
    ];
  } finally {
    await edge.stop();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
