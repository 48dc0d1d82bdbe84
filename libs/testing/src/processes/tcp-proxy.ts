import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = {
  readonly port: number;
  /** From now on nothing is forwarded, without an error, as when a cable is pulled. New connections are accepted and stay silent. */
  silence(): void;
  /** Forwards again, what was held back included, as TCP would after the cable is back. */
  heal(): void;
  close(): Promise<void>;
};

/** Stands between a client and a server on this machine, so that their connections can go silent without being closed. */
export async function startTcpProxy(target: { readonly port: number }): Promise<TcpProxy> {
  let isSilent = false;
  const pairs = new Set<readonly [Socket, Socket]>();
  const endPair = (pair: readonly [Socket, Socket]) => {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const upstream = connect(target.port, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => isSilent || from.resume());
      from.on('error', () => undefined); // 'close' follows
      from.on('close', () => {
        // The end of a connection is news as well, and in silence there is none.
        if (!isSilent) endPair(pair);
      });
    }
    if (isSilent) upstream.pause();
    else client.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP: never a pipe's path
    silence: () => {
      isSilent = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    heal: () => {
      isSilent = false;
      for (const pair of pairs) {
        if (pair.some(({ destroyed }) => destroyed)) endPair(pair);
        else for (const socket of pair) socket.resume();
      }
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of [...pairs].flat()) socket.destroy();
      await closed;
    },
  };
}
