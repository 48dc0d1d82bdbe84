import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP load balancer for several servers on this machine. */
export interface Balancer {
  readonly port: number;
  /** From now on new connections go to the others; those that are open stay. */
  takeOut(port: number): void;
  putIn(port: number): void;
  close(): Promise<void>;
}

/** Selects the servers that were put in round robin. It retries nothing, so that clients see each failed connection. */
export async function startBalancer(): Promise<Balancer> {
  const inUse: number[] = [];
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const port = inUse[turn++ % inUse.length];
    if (port === undefined) return void client.resetAndDestroy();
    join(client, connect(port, '127.0.0.1'));
    open.add(client);
    client.once('close', () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP: never a pipe's path
    takeOut: (port) => void inUse.splice(inUse.indexOf(port), inUse.includes(port) ? 1 : 0),
    putIn: (port) => void inUse.push(port),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of open) client.destroy();
      await closed;
    },
  };
}

function join(client: Socket, upstream: Socket): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.setNoDelay(true);
    // Not while its end is on its way: Node would lose the socket, and never exit.
    from.on('error', () => void (to.writableEnded ? to.destroy() : to.resetAndDestroy()));
    from.on('close', () => void to.destroySoon());
    from.pipe(to);
  }
}
