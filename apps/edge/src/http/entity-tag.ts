import { createHash } from 'node:crypto';

/** A strong tag: the content of a file in a deployment never changes. */
export function entityTag(contentHash: string, path: string): string {
  return `"${createHash('sha256').update(`${contentHash}\n${path}`).digest('base64url')}"`;
}

/** Whether the client has it already (RFC 9110 §13.1.2: weak comparison, a list, or `*`). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((listed) => ['*', tag].includes(listed.trim().replace(/^W\//, '')));
}
