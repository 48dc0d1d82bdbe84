import { waitUntil } from '@pets/dev-stack';
import { connect } from 'node:tls';
import { nameOf } from './certificate-set.js';
import type { Contestant, Ground, Serving } from './contestant.js';

const START_LIMIT_MS = 90_000;
const POLL_INTERVAL_MS = 10;

/** Starts a server and waits until it serves. @returns how long that took, from before the process was there */
export async function startAndWait(
  contestant: Contestant,
  ground: Ground,
  names: number,
): Promise<{ readonly serving: Serving; readonly ms: number }> {
  const serving = await contestant.start(ground, names);
  return { serving, ms: await untilServing(serving, names) };
}

/** Polls until the last name is served. @returns how long that took */
export async function untilServing({ port }: Serving, names: number): Promise<number> {
  const began = performance.now();
  const message = `${names} names to be served`;
  await waitUntil(() => answers(port, nameOf(names - 1)), {
    timeoutMs: START_LIMIT_MS,
    intervalMs: POLL_INTERVAL_MS,
    message,
  });
  return performance.now() - began;
}

function answers(port: number, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.setTimeout(START_LIMIT_MS, () => socket.destroy());
    socket.once('secureConnect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\n\r\n`));
    socket.once('data', (head: Buffer) => {
      resolve(head.toString('latin1').startsWith('HTTP/1.1 200 '));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
