import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil, type ScenarioClient } from '@pets/dev-stack';
import type { Project } from './project.js';

const READY_LIMIT_MS = 60_000;
const PAUSE_MS = 20;

export interface ReplacedEdges {
  readonly project: Project;
  readonly client: ScenarioClient;
  /** A name that is served. */
  readonly host: string;
  readonly say: (line: string) => void;
}

/**
 * Stops and starts one edge after the other, as an update does, while a visitor comes again and again through the load
 * balancer.
 * @throws Error if a single visit fails
 */
export async function checkReplacedEdges({ project, client, host, say }: ReplacedEdges): Promise<void> {
  for (const edge of ['edge', 'edge-2']) await untilReady(project, edge);
  const end = new AbortController();
  const visits = { count: 0, failures: [] as string[] };
  const visiting = (async () => {
    while (!end.signal.aborted) {
      visits.count += 1;
      const outcome = await client.visit(host).then(
        ({ status }) => (status === 200 ? null : `answered ${status}`),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (outcome !== null) visits.failures.push(outcome);
      await sleep(PAUSE_MS);
    }
  })();
  try {
    for (const edge of ['edge', 'edge-2']) {
      await project.stop(edge);
      await project.start(edge);
      await untilReady(project, edge);
    }
  } finally {
    end.abort();
    await visiting;
  }
  const { count, failures } = visits;
  if (failures.length > 0) throw new Error(`${failures.length} of ${count} visits failed: ${failures[0] ?? ''}`);
  say(`   both edges stopped and started, one after the other: ${count} visits, none failed`);
}

/** Ready by its own account, and by that of the load balancer, which asks every half second. */
async function untilReady(project: Project, edge: string): Promise<void> {
  await waitUntil(
    () =>
      project.exec(edge, ['node', 'deploy/images/healthy.mjs', 'http://127.0.0.1:9090/readyz']).then(
        () => true,
        () => false,
      ),
    { timeoutMs: READY_LIMIT_MS, intervalMs: 500, message: `${edge} to be ready` },
  );
}
