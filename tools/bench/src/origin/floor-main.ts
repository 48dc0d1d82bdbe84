import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { built } from '@pets/lab';

/**
 * `floor-main.js PORT CERTIFICATE-SET APPLICATION-URL`: as many processes as our edge has. The one that answers visitors has the
 * options of Node that our serving process has.
 */
const { servingOptions } = (await import(built('edge', 'processes/node-options.js'))) as {
  servingOptions: () => readonly string[]; // apps/edge/src/processes/node-options.ts
};
const program = fileURLToPath(new URL('floor-serving-main.js', import.meta.url));
const child = fork(program, process.argv.slice(2), { execArgv: [...servingOptions()] });
child.once('exit', (code) => process.exit(code ?? 1));
process.once('SIGTERM', () => child.kill('SIGTERM'));
