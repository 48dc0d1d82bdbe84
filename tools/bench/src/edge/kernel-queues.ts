import { readFileSync } from 'node:fs';

/** What the kernel holds of a connection within this machine, in bytes. */
export interface Queues {
  /** Sent by the server, and not taken by the client's kernel yet. */
  readonly unsent: number;
  /** Taken by the client's kernel, and not read yet. */
  readonly unread: number;
}

/** @param server port of the server @param client port of the client; both are at 127.0.0.1 */
export function queuesOf(server: number, client: number): Queues {
  // Each line: number, local and remote address, state, and tx_queue:rx_queue, all hexadecimal (proc_net_tcp.txt).
  const connections = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const queue = (from: number, to: number, which: 0 | 1): number => {
    const line = connections.find(([, local = '', remote = '']) => portOf(local) === from && portOf(remote) === to);
    return Number.parseInt(line?.[4]?.split(':')[which] ?? '0', 16);
  };
  return { unsent: queue(server, client, 0), unread: queue(client, server, 1) };
}

function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '0', 16);
}
