import { isSignedWith, LINK_PARAMETER, locationOf, parseLinkToken, type LinkToken } from '@pets/sites';
import { FairCache } from '../fairness/fair-cache.js';
import { memoryBytes } from './limits.js';

/**
 * Decides who may read a protected site. A request opens it by one token of a link: in the query, which is exchanged for a cookie
 * and a redirect to the same address without it, or else in that cookie. It is checked for each request with the key of the
 * current route, so that ended links open nothing as soon as the route has another key.
 *
 * A signature takes as long as a few requests, so strangers pay for it with handshakes: a connection ends after `MAX_CHECKS`.
 * Valid tokens are remembered.
 */

/** The part of a request that may open a site. */
export interface Visit {
  header(name: 'cookie'): string | undefined;
  readonly connection: LinkChecks;
}

export interface LinkChecks {
  /** Signatures that were verified for requests of the connection. */
  linkChecks: number;
}

/** Signatures that one connection may cause. A browser causes one, or two with a new link. */
export const MAX_CHECKS = 8;

/** The prefix keeps other hosts from setting it, such as other sites of the platform domain (RFC 6265bis §4.1.3.2). */
const COOKIE = '__Host-preview';

/** The answer that a request gets in place of the site. */
type Instead =
  | { readonly kind: 'page'; readonly page: 'link_required' }
  | {
      readonly kind: 'redirect';
      readonly status: 303;
      readonly location: string;
      readonly headers: Readonly<Record<string, string>>;
    };

const refused: Instead = { kind: 'page', page: 'link_required' };
const valid = {};

export interface LinkGateOptions {
  readonly nowMs: () => number;
  readonly publicHttpsPort: number;
}

export class LinkGate {
  readonly #options: LinkGateOptions;
  /** Tokens whose signature is valid, by public key. Whoever has a link can add one; they are verified again after an eviction. */
  readonly #valid = new FairCache({ maxBytes: memoryBytes.linkTokens, bytesOf: () => 0 });

  constructor(options: LinkGateOptions) {
    this.#options = options;
  }

  /**
   * @param host normalized
   * @param target a path with its query
   * @returns undefined for a request that may read the site
   */
  check(
    visit: Visit,
    { host, target }: { readonly host: string; readonly target: string },
    linkKey: string,
  ): Instead | undefined {
    const { nowMs, publicHttpsPort } = this.#options;
    const sent = takeToken(target);
    const token = parseLinkToken((sent === undefined ? cookieOf(visit.header('cookie')) : sent.token) ?? '');
    const secondsLeft = token === undefined ? 0 : token.endsAt - Math.floor(nowMs() / 1_000);
    if (token === undefined || secondsLeft <= 0 || !this.#isValid(token, linkKey, visit.connection)) return refused;
    if (sent === undefined) return undefined;
    return {
      kind: 'redirect',
      status: 303,
      location: locationOf(host, publicHttpsPort, sent.rest),
      headers: {
        'set-cookie': `${COOKIE}=${token.text}; Max-Age=${secondsLeft}; Path=/; Secure; HttpOnly; SameSite=Lax`,
        'referrer-policy': 'no-referrer',
      },
    };
  }

  #isValid(token: LinkToken, linkKey: string, connection: LinkChecks): boolean {
    if (this.#valid.get(linkKey, token.text) !== undefined) return true;
    if (connection.linkChecks >= MAX_CHECKS) return false;
    connection.linkChecks += 1;
    const isValid = isSignedWith(token, linkKey);
    if (isValid) this.#valid.set(linkKey, token.text, valid);
    return isValid;
  }
}

/**
 * The token in the query of a target, and the target without it.
 * @returns undefined for a query without one; without `token` for a query with several
 */
export function takeToken(target: string): { readonly token: string | undefined; readonly rest: string } | undefined {
  const mark = target.indexOf('?');
  const [part, another] = mark === -1 ? [] : findParts(target, LINK_PARAMETER, '&', mark + 1);
  if (part === undefined) return undefined;
  const { start, end } = part;
  const rest = end < target.length ? target.slice(0, start) + target.slice(end + 1) : target.slice(0, start - 1);
  return { token: another === undefined ? part.value : undefined, rest };
}

/** The token in a Cookie header. A browser has one cookie of this name for a host, so a header with several has none. */
export function cookieOf(header: string | undefined): string | undefined {
  const [part, another] = header === undefined ? [] : findParts(header, COOKIE, ';', 0);
  return another === undefined ? part?.value : undefined;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** The parts `name=value` of a text with this name, at most two. In linear time, and without an array of all parts. */
function findParts(text: string, name: string, separator: '&' | ';', from: number): Part[] {
  const parts: Part[] = [];
  const prefix = `${name}=`;
  for (let at = text.indexOf(prefix, from); at !== -1 && parts.length < 2; at = text.indexOf(prefix, at + 1)) {
    let start = at;
    while (start > from && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
    if (start > from && text[start - 1] !== separator) continue;
    const next = text.indexOf(separator, at);
    const end = next === -1 ? text.length : next;
    parts.push({ start, end, value: text.slice(at + prefix.length, end).trimEnd() });
  }
  return parts;
}
