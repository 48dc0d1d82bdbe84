import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a client may choose: harmless in a header, in a URI and in a log line. */
const acceptable = /^[A-Za-z0-9_-]{1,64}$/;

/** The id a request goes by in its answer and in our logs: the client's own if it is harmless, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
