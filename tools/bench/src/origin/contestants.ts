import { fileURLToPath } from 'node:url';
import type { EdgeRoute } from '@pets/contracts';
import { originRow, type EdgeOrigin } from '@pets/contracts/edge-feed';
import { run } from '@pets/lab';
import { freePort } from '@pets/testing/processes';
import { certificateIdOf, nameOf } from '../edge/certificate-set.js';
import type { Ground, Serving } from '../edge/contestant.js';
import { ourEdge } from '../edge/our-edge.js';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';
import { originSettings } from '../settings.js';

/** Names of visitors, all of one project: the smallest number that certificates are made for at once. */
export const NAMES = 1_000;

export interface Forwarder {
  readonly name: string;
  /** Starts on the server's processor, forwarding to the application at a port. */
  start(ground: Ground, application: number): Promise<Serving>;
}

const ORIGIN = 'bench';

export function originRoute(port: number, more: Partial<EdgeOrigin> = {}): EdgeRoute {
  const serve: EdgeOrigin = {
    ...{ kind: 'origin', organizationId: 'bench', projectId: 'bench', url: `http://127.0.0.1:${port}`, test: 0 },
    ...{ timeouts: { connect: 10, answer: 60, idle: 600 }, maxConnections: 10_000 },
    ...more,
  };
  return { answersChallenges: false, serve, certificateId: null };
}

export function applicationRoute(index: number, origin: string): EdgeRoute {
  return {
    answersChallenges: true,
    serve: { kind: 'application', origin, domainId: `00000000-0000-4000-9000-${String(index).padStart(12, '0')}` },
    certificateId: certificateIdOf(index),
  };
}

function* routesTo(port: number): Generator<readonly [string, EdgeRoute]> {
  yield [originRow(ORIGIN), originRoute(port)];
  for (let index = 0; index < NAMES; index++) yield [nameOf(index), applicationRoute(index, ORIGIN)];
}

/** Settings of our edge that all its visitors, and its application, are on one machine. */
export const forwardingSettings = { EDGE_ALLOW_PRIVATE_ORIGINS: 'true' } as const;

/** Our edge as it is built, with everything switched on: limits, fields, metrics, and a log line for each request. */
export const ours: Forwarder = {
  name: 'ours',
  start: (ground, port) => ourEdge.start({ ...ground, routes: routesTo(port) }, NAMES, forwardingSettings),
};

/** A TLS listener and `undici.Pool`: the difference to our edge is our cost, the rest is the platform's. */
export const floor: Forwarder = {
  name: 'floor',
  start: async ({ set }, application) => {
    const port = await freePort();
    const program = fileURLToPath(new URL('floor-main.js', import.meta.url));
    const { PROFILE: folder } = originSettings;
    const profiling = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
    const node = [process.execPath, ...profiling, program, String(port), set.folder, `http://127.0.0.1:${application}`];
    const [command, args] = on(SERVER_PROCESSOR, node);
    const onLine = (line: string) => void process.stderr.write(`  ${line}\n`);
    const child = run({ name: 'floor', command, args: [...args], onLine });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};
