import { readFileSync } from 'node:fs';

/**
 * What may still be read of a connection within this machine though nothing more is sent. Infinite for one that was
 * reset: the kernel does not know it any more, so that whatever is read came before.
 * @param server port of the server, at 127.0.0.1 as the client is
 * @param client port of the client
 */
export function unreadBytes(server: number, client: number): number {
  // Each line: number, local and remote address, state, and tx_queue:rx_queue, all hexadecimal (proc_net_tcp.txt).
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local = '', remote = '', , queues = ''] = line.trim().split(/\s+/);
    if (portOf(local) === client && portOf(remote) === server) return Number.parseInt(queues.split(':')[1] ?? '0', 16);
  }
  return Infinity;
}

function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '0', 16);
}
