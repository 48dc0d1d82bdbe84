import { DomainError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';

/** Nest drops these before a schema could refuse them. */
const droppedNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * What is wrong with a query before any schema sees it; null if nothing is.
 * @param isTaken whether the operation has parameters at all
 */
export function findQueryFault({ url, query }: FastifyRequest, isTaken: boolean): DomainError | null {
  const start = url.indexOf('?');
  if (start === -1) return null;
  if (!isDecodable(url.slice(start + 1)))
    return new DomainError('invalid_parameter', 'The query has a malformed percent-encoding.');
  const parameters = Object.entries(query ?? {});
  const repeated = parameters.find(([, value]) => Array.isArray(value));
  if (repeated !== undefined) return new DomainError('invalid_parameter', `${repeated[0]}: is given more than once`);
  const stray = isTaken ? parameters.find(([name]) => droppedNames.has(name)) : parameters[0];
  if (stray === undefined) return null;
  return new DomainError('invalid_parameter', `${stray[0]}: is not a parameter of this operation`);
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
