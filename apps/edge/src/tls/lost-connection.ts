import type { Socket } from 'node:net';

/** The part of Node's handle of a socket that has no public API. */
interface Handle {
  /** Bytes that TLS has not passed to TCP, or that TCP has not passed to the kernel. */
  readonly writeQueueSize?: number;
  /** Asks the kernel for the peer. @returns 0, or a negative error number when there is no connection */
  readonly getpeername?: (name: object) => number;
}

/**
 * Whether Node will never notice that the client has reset a connection.
 *
 * Node notices when it reads, which it does not do while the socket is paused, or while a write over HTTP/2 is in progress. After
 * a write that failed, TLS keeps its bytes, and the next write waits behind them for ever. The end of the session waits for it.
 */
export function isLost(socket: Socket): boolean {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  const isUnread = (handle?.writeQueueSize ?? 0) > 0 || socket.isPaused();
  // Not for others: it is a system call.
  return isUnread && (handle?.getpeername?.({}) ?? 0) !== 0;
}
