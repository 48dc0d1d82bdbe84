import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * `floor-main.js EDGE PORT CERTIFICATE-SET APPLICATION-URL`: as many processes as our edge has. The one that answers visitors has
 * the options of Node that our serving process has. @param EDGE folder of our built edge
 */
const [edge = '', ...more] = process.argv.slice(2);
const { servingOptions } = (await import(`${edge}/processes/process-limits.js`)) as {
  servingOptions: () => readonly string[]; // apps/edge/src/processes/process-limits.ts
};
const program = fileURLToPath(new URL('floor-serving-main.js', import.meta.url));
const child = fork(program, [edge, ...more], { execArgv: [...servingOptions()] });
child.once('exit', (code) => process.exit(code ?? 1));
process.once('SIGTERM', () => child.kill('SIGTERM'));
