import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';
import { programPath, startServiceProcess } from './service-process.js';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** PID of the server that was started last. */
  readonly pid: number;
  /** Ends it at once with all it has, and starts it at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A Redis server that writes nothing, as queues may be kept whose truth is elsewhere.
 * @returns null where redis-server is not installed
 */
export async function startTestRedis(): Promise<TestRedis | null> {
  const command = programPath('redis-server');
  if (command === null) return null;
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-redis-'));
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'no'];
  const start = () => startServiceProcess({ name: 'redis-server', command, args, port });
  let server = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid;
    },
    restart: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
      server = await start();
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
