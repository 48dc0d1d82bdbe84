import { once } from 'node:events';
import { connect, createSecureContext } from 'node:tls';
import { nameOf } from '../edge/certificate-set.js';
import { visitorAddress } from '../edge/visitors.js';
import { bytesPath } from './application.js';
import type { HoldingOrder } from './origin-driver.js';

/** `holding-main.js ORDER`: opens connections, says so to its parent, and keeps them until that disconnects. */
const { port, kind, connections, names } = JSON.parse(process.argv[2] ?? '') as HoldingOrder; // by `hold`
const AT_ONCE = 16;
const LIMIT_MS = 20_000;
const upgrade =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const secureContext = createSecureContext({ ecdhCurve: 'X25519', minVersion: 'TLSv1.3' });

process.once('disconnect', () => process.exit(0));
let next = 0;
await Promise.all(Array.from({ length: AT_ONCE }, openOn));
process.send?.('open');

async function openOn(): Promise<void> {
  for (let at = next++; at < connections; at = next++) await open(nameOf(names[0] + (at % names[1])));
}

async function open(servername: string): Promise<void> {
  const from = { localAddress: visitorAddress() };
  const socket = connect({ host: '127.0.0.1', port, secureContext, rejectUnauthorized: false, servername, ...from });
  socket.on('error', () => undefined);
  const signal = AbortSignal.timeout(LIMIT_MS);
  await once(socket, 'secureConnect', { signal });
  const more = kind === 'websocket' ? upgrade : '';
  socket.write(`GET ${bytesPath(1)} HTTP/1.1\r\nHost: ${servername}\r\n${more}\r\n`);
  if (kind === 'request') return;
  const [head] = (await once(socket, 'data', { signal })) as [Buffer]; // no encoding is set
  if (!head.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(`answered ${head.toString('latin1')}`);
}
