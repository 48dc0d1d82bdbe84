import { createHash } from 'node:crypto';

/**
 * A strong tag (RFC 9110 §8.8.3) of what the parts say. Whatever would change a byte of a representation, or how its
 * bytes are read, is one of the parts.
 */
export function entityTag(...parts: readonly string[]): string {
  return `"${createHash('sha256').update(parts.join('\n')).digest('base64url')}"`;
}

/** RFC 9110 §13.1.2: weak comparison with each of a list, or `*`. */
export function matchesWeakly(list: string, tag: string): boolean {
  return list.trim() === '*' || tagsOf(list).some((listed) => listed.replace(/^W\//, '') === tag);
}

/** RFC 9110 §13.1.1: strong comparison with each of a list, or `*`. */
export function matchesStrongly(list: string, tag: string): boolean {
  return list.trim() === '*' || tagsOf(list).includes(tag);
}

/** A tag may hold commas, so the list is not split at them. What is no tag matches nothing. */
function tagsOf(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
}
