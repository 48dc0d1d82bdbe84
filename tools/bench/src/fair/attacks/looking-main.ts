import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import type { LookOrder } from './process-attacks.js';

/** `looking-main.js`, with its order on standard input: looks at domains in turns, until it is killed. */

/** The interval of each page and command. */
const LOOK_EVERY_MS = 10_000;
const TICK_MS = 50;

const { apiKey, apiUrl, paths } = JSON.parse(await text(process.stdin)) as LookOrder;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const headers = { authorization: `Bearer ${apiKey}`, 'content-length': 0 };
const each = Math.ceil((paths.length * TICK_MS) / LOOK_EVERY_MS);
let underWay = 0;
for (let looked = 0; ; await sleep(TICK_MS)) {
  // A person whose page has not been answered looks no more often.
  for (let count = underWay; count < each; count++) look(paths[looked++ % paths.length] ?? '');
}

function look(path: string): void {
  underWay++;
  request(apiUrl + path, { method: 'POST', headers, agent }, (answer) => answer.resume())
    .on('error', () => undefined)
    .on('close', () => underWay--)
    .end();
}
