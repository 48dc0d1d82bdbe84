import { once } from 'node:events';
import { connect } from 'node:tls';
import { nameOf } from '../edge/certificate-set.js';
import { visitorAddress } from '../edge/visitor-address.js';
import type { Figure } from '../figure.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';
import { SERVED_NAMES } from './settings.js';

const LIMIT_MS = 10_000;

/**
 * Resumed handshakes are not measured while the edge sends no tickets (docs/decisions/0051-no-session-resumption.md).
 * @throws Error when it sends them
 */
export async function measureResumption(ground: ScaleGround): Promise<Figure[]> {
  const { edge } = await ScaleEdge.start(ground, SERVED_NAMES, { name: 'resumption', processes: 1 });
  try {
    const tickets = await countTickets(edge.port, ground.set.rootPem);
    if (tickets > 0) throw new Error('the edge sends session tickets: measure what a resumed handshake costs');
    process.stdout.write('resumed handshakes: not measured, the edge does not resume sessions\n');
    return [];
  } finally {
    await edge.stop();
  }
}

/** Tickets that arrive before the end of a response. */
async function countTickets(port: number, ca: string): Promise<number> {
  const host = nameOf(0);
  const from = { localAddress: visitorAddress() }; // Node takes it, its types do not have it
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca, ...from });
  let tickets = 0;
  socket.on('session', () => tickets++);
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  socket.resume();
  await once(socket, 'close', { signal: AbortSignal.timeout(LIMIT_MS) });
  return tickets;
}
