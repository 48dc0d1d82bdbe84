import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { freePort } from '../src/processes/ports.js';

const PORTS_OF_A_PROCESS = 40;

/** Returns `PORTS_OF_A_PROCESS` ports, found in another process. */
async function portsOfAnother(): Promise<number[]> {
  const module = new URL('../dist/processes/ports.js', import.meta.url).href;
  const code = `import { freePort } from '${module}';
    for (let index = 0; index < ${PORTS_OF_A_PROCESS}; index += 1) console.log(await freePort());
    process.stdin.resume();`;
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  let printed = '';
  for await (const chunk of running.child.stdout ?? []) {
    printed += String(chunk);
    if (printed.split('\n').length > PORTS_OF_A_PROCESS) break;
  }
  running.child.stdin?.end();
  await running;
  return printed.trim().split('\n').map(Number);
}

describe('free ports', () => {
  it('are none that a connection is given, and none twice, whichever process asks', async () => {
    const own = Array.from({ length: PORTS_OF_A_PROCESS }, freePort);
    const ports = (await Promise.all([Promise.all(own), portsOfAnother(), portsOfAnother()])).flat();
    expect(new Set(ports).size).toBe(3 * PORTS_OF_A_PROCESS);
    expect(Math.min(...ports)).toBeGreaterThan(12_000);
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });

  it('are free over TCP and UDP, on every address', async () => {
    const port = await freePort();
    const [taken, alsoTaken] = [port + 1, port + 2];
    const tcp = createServer().listen(taken, '::1');
    const udp = createSocket('udp4');
    udp.bind(alsoTaken, '127.0.0.1');
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    const next = [await freePort(), await freePort()];
    expect(next).not.toContain(taken);
    expect(next).not.toContain(alsoTaken);
    tcp.close();
    udp.close();
  });
});
