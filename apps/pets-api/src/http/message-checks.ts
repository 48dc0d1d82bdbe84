import { RequestError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';

/** Longer than any URL of ours with its cursor; far under the parser's own limit, which could only cut the connection. */
const MAX_URL_LENGTH = 4096;

/** What is wrong with the message itself, whatever it asks for; null if nothing is. */
export function validateMessage({ raw }: FastifyRequest): RequestError | null {
  const hosts = countHeaders(raw.rawHeaders, 'host');
  // RFC 9112 §3.2: a server must answer 400 to both. Two of them may mean two things to two servers on the way.
  if (hosts > 1) return new RequestError('invalid_request', 'There is more than one Host header.');
  if (hosts === 0 && raw.httpVersion === '1.1') return new RequestError('invalid_request', 'There is no Host header.');
  if (countHeaders(raw.rawHeaders, 'authorization') > 1)
    return new RequestError('invalid_request', 'There is more than one Authorization header.');
  if ((raw.url ?? '').length > MAX_URL_LENGTH)
    return new RequestError('uri_too_long', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  return null;
}

/** Node joins or drops repeated headers; as they were sent they are here: names and values in turns. */
function countHeaders(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count;
}
