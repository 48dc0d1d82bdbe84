import { fieldError } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';

/** Nest drops these before a schema could refuse them. */
const droppedNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * What is wrong with a query before any schema sees it; null if nothing is.
 * @param isTaken whether the operation has parameters at all
 */
export function findQueryFault({ url, query }: FastifyRequest, isTaken: boolean): RequestError | null {
  const start = url.indexOf('?');
  if (start === -1) return null;
  if (!isDecodable(url.slice(start + 1)))
    return new RequestError('invalid_parameter', 'The query has a malformed percent-encoding.');
  const [first, ...others] = Object.entries(query ?? {}).flatMap(([name, value]) => {
    if (!isTaken || droppedNames.has(name)) return [fieldError(name, 'is not a parameter of this operation')];
    return Array.isArray(value) ? [fieldError(name, 'must not be repeated')] : [];
  });
  return first === undefined ? null : RequestError.ofFields('invalid_parameter', [first, ...others]);
}

/** The parser passes on what it cannot decode, as it came. */
function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
