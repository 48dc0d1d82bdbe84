/**
 * A serving process: answers visitors on the sockets that it inherits, from the table that the feed process writes. It obeys
 * the feed process and ends with it.
 */
import { createLogger, collectProcessMetrics, loadConfigOrExit } from '@pets/platform';
import { openAccessLog } from '../access-log/line-sink.js';
import { edgeConfigSchema } from '../platform/config.js';
import type { FeedMessage, NumberedMessage, ServingMessage } from './serving-side.js';
import { HTTP_DESCRIPTOR, HTTPS_DESCRIPTOR } from './serving-child.js';
import { ServingEdge } from './serving-edge.js';

// Without the feed process nothing says what was removed.
process.on('disconnect', () => process.exit(1));
// A terminal and some supervisors signal all processes; the feed process says when this one stops.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

const config = loadConfigOrExit(edgeConfigSchema);
const log = createLogger('edge', config.LOG_LEVEL).child({ pid: process.pid });

const edge = await ServingEdge.open(config, {
  sockets: { http: { fd: HTTP_DESCRIPTOR }, https: { fd: HTTPS_DESCRIPTOR } },
  feed: {
    tableDamaged: (reason) => send({ kind: 'damaged', reason }),
    preparedHandshake: (host) => send({ kind: 'handshake', host }),
    originConnectivity: (id, isFailing) => send({ kind: 'origin', id, isFailing }),
  },
  processes: config.EDGE_PROCESSES,
  accessLog: openAccessLog(config, log),
  now: Date.now,
  log,
});
collectProcessMetrics(edge.registry);
process.on('message', (numbered: NumberedMessage) => void answer(numbered));
send({ kind: 'started' });

async function answer({ number, message }: NumberedMessage): Promise<void> {
  try {
    const metrics = await obey(message);
    if (message.kind === 'drain') process.exit(0);
    send({ kind: 'done', number, ...(metrics !== undefined && { metrics }) });
  } catch (error) {
    log.error({ err: error, message: message.kind }, 'serving process cannot continue');
    process.exit(1);
  }
}

/** Every message but the last three is obeyed in the tick in which it arrives. */
async function obey(message: FeedMessage) {
  switch (message.kind) {
    case 'table':
      return void edge.tableReplaced(message.table);
    case 'change':
      return void edge.changed(message.change);
    case 'lease':
      return edge.leaseChanged(message.contactAtMs ?? undefined);
    case 'ping':
      return undefined;
    case 'listen':
      return edge.listen();
    case 'drain':
      return edge.drain(message.keepAliveMs);
    case 'metrics':
      return (await edge.metrics())[0];
  }
}

function send(message: ServingMessage): void {
  process.send?.(message);
}
