import { createHash } from 'node:crypto';
import { stringifyWithBigInt } from '../json-text.js';

/**
 * By what a repeated request is known for the same: the value of its JSON body, not the bytes. Members may come in another
 * order, since a client that builds its body again may write them so; an integer counts with all its digits.
 */
export function fingerprintOf(body: unknown): Buffer {
  const text = body === undefined ? '' : stringifyWithBigInt(inOrder(body));
  return createHash('sha256').update(text).digest();
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  // JSON leaves symbols out, and what cannot be stored is not the same as nothing.
  if (typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]));
}
