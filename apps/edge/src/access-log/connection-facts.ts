import type { Socket } from 'node:net';
import type { EdgeRequest } from '../http/send.js';

/** What an access log says about the connection of a request. */
export interface ConnectionFacts {
  readonly client: string | null;
  /** `TLSv1.3`; null on the plain port. */
  readonly tls: string | null;
}

const known = new WeakMap<object, ConnectionFacts>();

/** Asked once a connection: it costs system calls, and stays the same. */
export function connectionFactsOf(request: EdgeRequest): ConnectionFacts {
  const session = 'stream' in request ? request.stream.session : undefined;
  const key = session ?? request.socket;
  const before = known.get(key);
  if (before !== undefined) return before;
  const facts = readFacts(session?.socket ?? request.socket);
  known.set(key, facts);
  return facts;
}

function readFacts(socket: Socket): ConnectionFacts {
  const getProtocol: unknown = Reflect.get(socket, 'getProtocol');
  const tls: unknown = typeof getProtocol === 'function' ? getProtocol.call(socket) : null;
  return { client: socket.remoteAddress ?? null, tls: typeof tls === 'string' ? tls : null };
}
