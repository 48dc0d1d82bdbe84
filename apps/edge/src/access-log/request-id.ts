import { randomBytes } from 'node:crypto';

/** Of this process, so that the ids of two edges, or of one before and after a restart, differ. */
const prefix = randomBytes(6).toString('base64url');
let count = 0;

/** A name for a request that no other request has, cheaper than random bytes for each. */
export function nextRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}
