import { connect, isIP, type Socket } from 'node:net';

/** How long one address has before the next is tried as well (RFC 8305 §8). */
const NEXT_ATTEMPT_MS = 250;

export interface TcpAttempts {
  readonly port: number;
  readonly signal: AbortSignal;
  /** Called for each address that refuses or cannot be reached. */
  readonly onFailed: (address: string, error: Error) => void;
}

export interface TcpConnection {
  /** Errors are ignored until somebody else listens: each is followed by `close`. */
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to the first of several addresses that accepts, IPv6 and IPv4 in turns: each has a quarter of a second before the next
 * is tried beside it.
 * @throws the last error when all have failed, or the reason of the signal
 */
export function connectTcp(
  addresses: readonly string[],
  { port, signal, onFailed }: TcpAttempts,
): Promise<TcpConnection> {
  const waiting = inTurns(addresses);
  const open = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;
  return new Promise((resolve, reject) => {
    const settle = (result: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      for (const socket of open) socket.destroy();
      open.clear();
      result();
    };
    const fail = (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error))));
    const onAbort = () => fail(signal.reason);
    const tryNext = (lastError?: Error) => {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) {
        if (open.size === 0) fail(lastError ?? new Error('there is no address'));
        return;
      }
      const socket = connect({ host: address, port, autoSelectFamily: false, noDelay: true, keepAlive: true });
      open.add(socket);
      const onError = (error: Error) => {
        if (!open.delete(socket)) return; // destroyed here
        onFailed(address, error);
        tryNext(error);
      };
      socket.once('connect', () => {
        open.delete(socket);
        socket.off('error', onError); // which would keep all of this for as long as the connection is open
        settle(() => resolve({ socket, address }));
      });
      socket.on('error', ignore).on('error', onError);
      timer = setTimeout(() => tryNext(lastError), NEXT_ATTEMPT_MS);
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else tryNext();
  });
}

/** One function for all connections. */
function ignore(): void {
  // `close` follows
}

/** IPv6 first (RFC 8305 §4). */
function inTurns(addresses: readonly string[]): string[] {
  const ipv6 = addresses.filter((address) => isIP(address) === 6);
  const ipv4 = addresses.filter((address) => isIP(address) === 4);
  const longest = Math.max(ipv6.length, ipv4.length);
  return Array.from({ length: longest }, (_, at) => [ipv6[at], ipv4[at]])
    .flat()
    .filter((address) => address !== undefined);
}
