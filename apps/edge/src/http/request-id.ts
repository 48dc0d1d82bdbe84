import { randomBytes } from 'node:crypto';

/** Different in each process, so that ids of two edges, or of one edge before and after a restart, differ. */
const processId = randomBytes(6).toString('base64url');
let requestCount = 0;

/** So that a page has the same length for GET and HEAD. */
const COUNT_LENGTH = 8;

/** A unique id that costs less than random bytes for each request. */
export function nextRequestId(): string {
  requestCount += 1;
  return `${processId}-${requestCount.toString(36).padStart(COUNT_LENGTH, '0')}`;
}
