import { programPath, startServiceProcess, freePort } from '@pets/testing/processes';

/** A Redis that writes nothing, as queues may be kept whose truth is elsewhere. */
export interface StackRedis {
  readonly url: string;
  readonly port: number;
  /** PID of the server that was started last. */
  readonly pid: number;
  /** Ends it at once with all it has, and starts it at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStackRedis(): Promise<StackRedis> {
  const port = await freePort();
  const command = programPath('redis-server');
  if (command === null) throw new Error('redis-server is not installed: "node tools/setup.mjs bench" does that');
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  const start = () => startServiceProcess({ name: 'redis', command, args, port });
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
    stop: () => server.stop(),
  };
}
