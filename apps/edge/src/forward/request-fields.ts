import { isIP } from 'node:net';
import type { ServedApplication } from '@pets/contracts/edge-feed';
import { encodeValue, isHopByHop, isNamed, nominatedFields, valuesOf, type Fields } from './fields.js';

/** Facts about a request besides its fields. */
export interface RequestContext {
  /** The host as the visitor sent it. */
  readonly hostHeader: string;
  /** The host of the route, normalized. */
  readonly host: string;
  /** Version of the protocol for `Via`: `1.0`, `1.1` or `2.0`. */
  readonly version: string;
  /** Address of the client; null for a connection that is gone. */
  readonly client: string | null;
  readonly requestId: string;
  readonly serve: ServedApplication;
}

/** Additions of the origin and the platform to each request. */
export interface AddedFields {
  /** Replaces the visitor's host; undefined keeps it. */
  readonly hostHeader: string | undefined;
  /** The name of this platform in `Via`. */
  readonly pseudonym: string;
  /** Fields of the origin; names in lower case. They replace what the visitor sent. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Names that begin so are set by the edge alone, or speak about the connection to it. */
const OWN_PREFIX = /^(?:x-pets-|x-forwarded-|signature|proxy)/;

const ownNames = new Set([
  'forwarded',
  'x-real-ip',
  'x-request-id',
  'expect',
  'http2-settings',
  'host',
  'via',
  'content-length',
]);

/** Servers that make variables of fields (RFC 3875 §4.1.18) read `_` and `-` as the same. */
function canonicalName(lowerName: string): string {
  return lowerName.includes('_') ? lowerName.replaceAll('_', '-') : lowerName;
}

function isOwn(canonical: string): boolean {
  return ownNames.has(canonical) || OWN_PREFIX.test(canonical);
}

/**
 * The fields of a forwarded request, apart from those that say how its body is read. Built of what was parsed, in this order:
 * the visitor's without those of its connection and without every field that only the edge may set; then `Via`; then the edge's.
 * @param received names and values as the visitor sent them; pseudo-header fields of HTTP/2 are left out
 */
export function requestFields(received: Fields, context: RequestContext, added: AddedFields): string[] {
  const nominated = nominatedFields(received);
  const fields: string[] = ['host', added.hostHeader ?? context.hostHeader];
  let via: string | undefined;
  let cookies: string | undefined;
  for (let at = 0; at + 1 < received.length; at += 2) {
    const name = received[at] ?? '';
    const value = received[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'via') via = via === undefined ? value : `${via}, ${value}`;
    if (lower.startsWith(':') || isHopByHop(lower) || nominated.has(lower)) continue;
    const canonical = canonicalName(lower);
    if (isOwn(canonical) || added.fields.has(lower) || added.fields.has(canonical)) continue;
    // HTTP/2 splits it (RFC 9113 §8.2.3).
    if (lower === 'cookie') cookies = cookies === undefined ? value : `${cookies}; ${value}`;
    else fields.push(lower, value);
  }
  if (cookies !== undefined) fields.push('cookie', cookies);
  const own = `${context.version} ${added.pseudonym}`;
  fields.push('via', via === undefined ? own : `${via}, ${own}`);
  addOwnFields(fields, context);
  for (const [name, value] of added.fields) fields.push(name, value);
  return fields;
}

function addOwnFields(fields: string[], { client, hostHeader, host, requestId, serve }: RequestContext): void {
  if (client !== null) fields.push('x-forwarded-for', client);
  fields.push('x-forwarded-proto', 'https', 'x-forwarded-host', hostHeader);
  fields.push('forwarded', forwardedValue(client, hostHeader));
  fields.push('x-request-id', requestId, 'x-pets-domain', encodeValue(host));
  if (serve.domainId !== undefined) fields.push('x-pets-domain-id', encodeValue(serve.domainId));
  if (serve.externalId !== undefined) fields.push('x-pets-external-id', encodeValue(serve.externalId));
  if (serve.metadata !== undefined) fields.push('x-pets-metadata', encodeValue(serve.metadata));
}

/** RFC 7239 §4. IPv6 addresses are in brackets and quoted (§6). */
function forwardedValue(client: string | null, host: string): string {
  const node = client === null ? 'unknown' : client.includes(':') ? `"[${client}]"` : client;
  return `for=${node};host="${host}";proto=https`;
}

/**
 * The address of a client behind HTTP gateways: the last entry of `X-Forwarded-For`, which the gateway has added.
 * @param client of the connection; where that is no gateway, it is the client
 */
export function clientBehind(
  client: string | null,
  received: Fields,
  isGateway: (address: string) => boolean,
): string | null {
  if (client === null || !isGateway(client)) return client;
  const last = valuesOf(received, 'x-forwarded-for').at(-1)?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? client : last;
}

/** Whether a request has passed this platform before. @param received as the visitor sent them */
export function hasPassed(received: Fields, pseudonym: string): boolean {
  for (let at = 0; at < received.length; at += 2) {
    if (!isNamed(received[at], 'via')) continue;
    for (const hop of (received[at + 1] ?? '').split(',')) {
      const [, by] = hop.trim().split(/[ \t]+/);
      if (by?.toLowerCase() === pseudonym) return true;
    }
  }
  return false;
}
