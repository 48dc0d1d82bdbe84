import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EdgeRoute } from '@pets/contracts';
import { originRow, type EdgeOrigin } from '@pets/contracts/edge-feed';
import { built, run } from '@pets/lab';
import { freePort } from '@pets/testing/processes';
import { certificateIdOf, nameOf } from '../edge/certificate-set.js';
import { untilServing, type Ground, type Serving } from '../edge/contestant.js';
import { ourEdge } from '../edge/our-edge.js';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';
import { originSettings } from '../settings.js';
import { startApplication, type Application } from './application.js';

/** Names of visitors: the smallest number that certificates are made for at once. */
export const NAMES = 1_000;

export interface Forwarder {
  readonly name: string;
  /** Starts on the server's processor. */
  readonly start: (ground: Ground, application: Application) => Promise<Serving>;
}

export interface Runner {
  readonly name: string;
  readonly serving: Serving;
}

const timeouts = { connect: 10, answer: 60, idle: 600 };

export function originRoute(id: string, url: string): readonly [row: string, route: EdgeRoute] {
  const serve: EdgeOrigin = {
    kind: 'origin',
    organizationId: `organization-${id}`,
    projectId: `project-${id}`,
    ...{ url, timeouts, maxConnections: 10_000, test: 0 },
  };
  return [originRow(id), { answersChallenges: false, serve, certificateId: null }];
}

export function applicationRoute(index: number, origin: string): EdgeRoute {
  const domainId = certificateIdOf(index); // as long as that of a domain
  return {
    answersChallenges: true,
    serve: { kind: 'application', origin, domainId },
    certificateId: certificateIdOf(index),
  };
}

/** The names of visitors, and as many origins, each of an organization of its own. The first ones are those that hang. */
function* routesTo({ port, hangingPorts }: Application, origins: number): Generator<readonly [string, EdgeRoute]> {
  for (let at = 0; at < origins; at++) yield originRoute(String(at), `http://127.0.0.1:${hangingPorts[at] ?? port}`);
  for (let index = 0; index < NAMES; index++) yield [nameOf(index), applicationRoute(index, String(index % origins))];
}

/** The application is on this machine. */
export const forwardingSettings = { EDGE_ALLOW_PRIVATE_ORIGINS: 'true' } as const;

/**
 * Our edge as it is built, with everything switched on: limits, fields, metrics, and a log line for each request.
 * @param origins rows that the names share
 */
export function ours(origins = 1): Forwarder {
  return {
    name: 'ours',
    start: (ground, application) =>
      ourEdge.start({ ...ground, routes: routesTo(application, origins) }, NAMES, forwardingSettings),
  };
}

/** A TLS listener and `undici.Pool`: the difference to our edge is our cost, the rest is the platform's. */
export const floor: Forwarder = {
  name: 'floor',
  start: async ({ set }, application) => {
    const port = await freePort();
    const program = fileURLToPath(new URL('floor-main.js', import.meta.url));
    const { PROFILE: folder } = originSettings;
    const profiling = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
    const edge = dirname(built('edge'));
    const args = [...profiling, program, edge, String(port), set.folder, `http://127.0.0.1:${application.port}`];
    const [command, all] = on(SERVER_PROCESSOR, [process.execPath, ...args]);
    const onLine = (line: string) => void process.stderr.write(`  ${line}\n`);
    const child = run({ name: 'floor', command, args: [...all], onLine });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

/** Starts an application and servers in front of it, measures them, and stops them. */
export async function withRunners<Result>(
  ground: Ground,
  forwarders: readonly Forwarder[],
  measure: (runners: readonly Runner[], application: Application) => Promise<Result>,
  hanging = 0,
): Promise<Result> {
  const application = await startApplication(hanging);
  const runners: Runner[] = [];
  try {
    for (const { name, start } of forwarders) {
      const serving = await start(ground, application);
      runners.push({ name, serving });
      await untilServing(serving, NAMES);
    }
    return await measure(runners, application);
  } finally {
    await Promise.all(runners.map(({ serving }) => serving.stop()));
    await application.stop();
  }
}
