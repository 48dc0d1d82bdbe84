import type { Socket } from 'node:net';

/** A property of sockets: a WeakMap with many short-lived keys is expensive for the garbage collector. */
const CLIENT = Symbol('client address');

/** Notes the address that a proxy reported for the client of a connection. */
export function setClientAddress(socket: Socket, address: string): void {
  Reflect.set(socket, CLIENT, address);
}

/**
 * The address of the client of a TCP connection: the one that a trusted proxy reported, else the peer's. Empty for a
 * connection that is gone.
 */
export function clientAddressOf(socket: { readonly remoteAddress?: string | undefined }): string {
  const reported: unknown = Reflect.get(socket, CLIENT);
  return typeof reported === 'string' ? reported : (socket.remoteAddress ?? '');
}
