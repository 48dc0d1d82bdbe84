import { addressGroup } from '@pets/platform';

/** A property of sockets: a WeakMap with many short-lived keys is expensive for the garbage collector. */
const CLIENT = Symbol('client');

interface Client {
  readonly address: string;
  readonly group: string;
}

/** The part of a socket that is needed here. */
interface ClientSocket {
  readonly remoteAddress?: string | undefined;
  [CLIENT]?: Client;
}

/** Notes the address that a proxy reported for the client of a connection. */
export function setClientAddress(socket: ClientSocket, address: string): void {
  socket[CLIENT] = describe(address);
}

/**
 * The address of the client of a TCP connection: the one that a trusted proxy reported, else the peer's. Empty for a
 * connection that is gone.
 */
export function clientAddressOf(socket: ClientSocket): string {
  return clientOf(socket).address;
}

/** The key of limits for the client of a TCP connection (`addressGroup`). */
export function clientGroupOf(socket: ClientSocket): string {
  return clientOf(socket).group;
}

/** Determined once for each connection: four limits of a handshake need it. */
function clientOf(socket: ClientSocket): Client {
  return (socket[CLIENT] ??= describe(socket.remoteAddress ?? ''));
}

function describe(address: string): Client {
  return { address, group: addressGroup(address) };
}
