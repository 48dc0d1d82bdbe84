import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosOptions, Round } from '../round.js';
import { attacks, begin, type Attack } from './attacks.js';
import { OTHER, startEdgeProcess, type EdgeProcess, type EdgeSample } from './edge-process.js';

/**
 * One edge is asked for files by clients that do not take them, each kind of them against an edge of its own. It must not
 * end, take more memory than the container of an edge has, or hold descriptors besides those of its connections; and visitors
 * of another site are served all the time.
 */

const ATTACK_MS = 30_000;
const LOOK_MS = 500;
const VISIT_LIMIT_MS = 10_000;
/** Memory that docker-compose.yml gives an edge. */
const MEMORY_BYTES = 512 * 1024 * 1024;
/** Descriptors of the program itself, and of reads from the storage that are under way: `storageReads` of the edge. */
const BESIDES_CONNECTIONS = 32 + 128;
const VISITED = ['/', '/medium.bin', '/large-1.bin'] as const;
const LONG_ONES_SHARE = 5;
/** Address nobody attacks from. */
const VISITOR = '127.0.9.9';

export async function* chaosSlowReaders({ rounds, only }: ChaosOptions): AsyncGenerator<Round> {
  const chosen = Object.entries<Attack>(attacks).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`there is no attack ${only ?? ''}: ${Object.keys(attacks).join(', ')}`);
  for (const [name, attack] of chosen) {
    for (let round = 0; round < Math.ceil(rounds / LONG_ONES_SHARE); round++) yield await withstand(name, attack);
  }
}

async function withstand(name: string, attack: Attack): Promise<Round> {
  // All visitors that there are come from this machine.
  const edge = await startEdgeProcess({ EDGE_HANDSHAKES_PER_ADDRESS: '0', LOG_LEVEL: 'warn' });
  const attacking = begin(attack, edge);
  const failed: string[] = [];
  let peak: EdgeSample = { rssBytes: 0, descriptors: 0 };
  try {
    for (const until = Date.now() + ATTACK_MS; Date.now() < until && edge.isRunning();) {
      await sleep(LOOK_MS);
      if (edge.isRunning()) peak = higher(peak, edge.sample());
      for (const path of VISITED) {
        const seen = await visit(edge, path);
        if (seen !== 200) failed.push(`a visitor got ${seen} for ${path}`);
      }
    }
    const most = attack.connections + BESIDES_CONNECTIONS;
    const seen = [
      ...failed.slice(0, 3),
      ...(edge.isRunning() ? [] : ['the edge has ended']),
      ...(peak.rssBytes < MEMORY_BYTES ? [] : ['it took more memory than it has']),
      ...(peak.descriptors < most ? [] : [`it held more than ${most} descriptors`]),
    ];
    const remark = `${attack.connections} connections: ${Math.round(peak.rssBytes / 2 ** 20)} MB, ${peak.descriptors} descriptors`;
    return { name, seen, lost: failed.length, duplicated: null, recoveredMs: null, remark };
  } finally {
    attacking.stop();
    await edge.stop();
  }
}

function higher(one: EdgeSample, other: EdgeSample): EdgeSample {
  return {
    rssBytes: Math.max(one.rssBytes, other.rssBytes),
    descriptors: Math.max(one.descriptors, other.descriptors),
  };
}

/** @returns the status, or what went wrong */
function visit({ httpsPort: port }: EdgeProcess, path: string): Promise<number | string> {
  const place = { host: '127.0.0.1', port, localAddress: VISITOR, servername: OTHER, headers: { host: OTHER } };
  return new Promise((resolve) => {
    const asking = request({ ...place, path, rejectUnauthorized: false, agent: false, timeout: VISIT_LIMIT_MS });
    asking.on('error', (error) => resolve(error.message));
    asking.on('timeout', () => asking.destroy(new Error('nothing in time')));
    asking.on('response', (response) => {
      response.on('error', (error) => resolve(error.message));
      response.on('end', () => resolve(response.statusCode ?? 0)).resume();
    });
    asking.end();
  });
}
