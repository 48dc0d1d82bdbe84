import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, programPath, startServiceProcess } from '@pets/dev-stack';

export type TestRedis = { readonly url: string; readonly port: number; readonly pid: number; stop(): Promise<void> };

/**
 * A Redis server for one test file, without persistence.
 * @returns null where redis-server is not installed
 */
export async function startTestRedis(): Promise<TestRedis | null> {
  const command = programPath('redis-server');
  if (command === null) return null;
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-redis-'));
  const server = await startServiceProcess({
    name: 'redis-server',
    command,
    args: ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'no'],
    port,
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, port, pid: server.pid, stop };
}
