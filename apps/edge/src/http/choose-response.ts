import type { TrailingSlash } from '@pets/contracts';
import { redirectHostOf, type EdgeRoute, type EdgeServe, type ServedApplication } from '@pets/contracts/edge-feed';
import { locationOf } from '@pets/sites';
import { normalizeHost } from '../store/host-name.js';
import { MAX_CHECKS, type LinkGate, type Visit } from './link-gate.js';
import type { PageName } from './page-texts.js';

/**
 * Decides what a request gets: a file of a site, a redirect, a challenge response or a page of the edge. Pure. Each listener
 * has a function of its own, which runs for every request, because a connection may outlive the route it was opened for.
 */

export interface RequestFacts {
  readonly method: string;
  /** Request target as on the wire. */
  readonly target: string;
  /** Each Host header or `:authority`. */
  readonly hosts: readonly string[];
}

export interface EdgeFacts {
  readonly find: (host: string) => EdgeRoute | undefined;
  /** Whether the edge may serve: without a lease, `find` knows no host. */
  readonly hasLease: boolean;
  readonly thumbprint: string | null;
  readonly publicHttpsPort: number;
}

export interface SecureEdgeFacts extends EdgeFacts {
  readonly links: Pick<LinkGate, 'check'>;
}

export type Answer = {
  /** Strict-Transport-Security, if the project enables it; over TLS only (RFC 6797 §7.2). */
  readonly hsts?: string | undefined;
  /** Whether search engines are asked not to list it. */
  readonly noindex?: true | undefined;
  /** Whether only some visitors may get it: it is of a site that a link opens. */
  readonly isPrivate?: boolean;
  /** Whether it is the last one of its connection. */
  readonly endsConnection?: boolean;
} & (
  | { readonly kind: 'page'; readonly page: PageName }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'redirect';
      readonly status: number;
      readonly location: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'site';
      readonly contentHash: string;
      readonly target: string;
      /** The host of the request, and the port of its URL: for redirects within the site. */
      readonly host: string;
      readonly publicHttpsPort: number;
      /** Whether addresses of pages end in a slash; absent for `auto`. */
      readonly trailingSlash?: TrailingSlash | undefined;
      /** When the content became what the host serves, in seconds since 1970. */
      readonly since?: number | undefined;
    }
  | {
      readonly kind: 'application';
      readonly serve: ServedApplication;
      readonly target: string;
      readonly host: string;
    }
);

/** Address that a request asks for: a normalized host, and a path with its query. */
interface Asked {
  readonly host: string;
  readonly target: string;
}

const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** The plain port: challenges, redirects of projects, and redirects to HTTPS. */
export function choosePlainResponse(request: RequestFacts, edge: EdgeFacts): Answer {
  const parsed = parseRequest(request);
  if (parsed === undefined) return page('bad_request');
  const { host, target } = parsed;
  const route = host === undefined ? undefined : edge.find(host);

  if (target.startsWith(CHALLENGE_PATH)) return chooseChallenge(request.method, target, route, edge.thumbprint);
  if (host === undefined || route === undefined || route.serve?.kind === 'excluded')
    return page(edge.hasLease ? 'unknown_host' : 'out_of_contact');
  if (route.serve?.kind === 'suspended') return page('suspended');
  if (route.serve?.kind === 'redirect') return redirect(route.serve, { host, target }, edge);
  if (route.certificateId === null) return page('certificate_pending');
  if (route.serve === null) return page('not_published');
  const location = locationOf(host, edge.publicHttpsPort, target);
  return { kind: 'redirect', status: 308, location, noindex: route.noindex };
}

/** @param servername the name of the handshake, normalized; a request for another host belongs on another connection */
export function chooseSecureResponse(
  request: RequestFacts & Visit,
  servername: string | undefined,
  edge: SecureEdgeFacts,
): Answer {
  const parsed = parseRequest(request, servername);
  if (parsed === undefined) return page('bad_request');
  const { host, target } = parsed;
  if (host === undefined || host !== servername) return page('misdirected');
  const route = edge.find(host);
  if (route === undefined || route.certificateId === null)
    return { kind: 'page', page: 'misdirected', endsConnection: true };
  const answer = chooseServed(request, route, { host, target }, edge);
  const { hsts, noindex } = route;
  return hsts === undefined && noindex === undefined ? answer : { ...answer, hsts, noindex };
}

/** A protected site answers nothing without a link, whatever the path and the method are, and nothing that a cache may keep. */
function chooseServed(request: RequestFacts & Visit, route: EdgeRoute, asked: Asked, edge: SecureEdgeFacts): Answer {
  const linkKey = route.serve?.kind === 'site' ? route.serve.linkKey : undefined;
  if (linkKey === undefined) return chooseOpened(request.method, route, asked, edge);
  const answer = edge.links.check(request, asked, linkKey) ?? chooseOpened(request.method, route, asked, edge);
  return { ...answer, isPrivate: true, endsConnection: request.connection.linkChecks >= MAX_CHECKS };
}

function chooseOpened(method: string, route: EdgeRoute, asked: Asked, edge: EdgeFacts): Answer {
  if (route.serve?.kind === 'suspended') return page('suspended');
  if (route.serve?.kind === 'application') return { kind: 'application', serve: route.serve, ...asked };
  if (!isRead(method)) return page('method_not_allowed');
  if (route.serve === null) return page('not_published');
  switch (route.serve.kind) {
    case 'redirect':
      return redirect(route.serve, asked, edge);
    case 'site':
      return {
        kind: 'site',
        contentHash: route.serve.contentHash,
        trailingSlash: route.serve.trailingSlash,
        since: route.serve.since,
        publicHttpsPort: edge.publicHttpsPort,
        ...asked,
      };
    case 'excluded': // without a certificate, so no connection of its own gets here
    case 'origin': // the row of no host
      return page('misdirected');
  }
}

/** @returns undefined unless the request has exactly one host and one path (RFC 9112 §3.2: two Host headers are 400) */
function parseRequest(
  { hosts, target }: RequestFacts,
  expected?: string,
): { host: string | undefined; target: string } | undefined {
  const [host] = hosts;
  if (host === undefined || hosts.length > 1) return undefined;
  const path = parseTarget(target, host);
  return path === undefined ? undefined : { host: host === expected ? host : normalizeHost(host), target: path };
}

/** HTTP-01 (RFC 8555 §8.3): the key authorization of a name whose certificate is being issued; the token is the client's. */
function chooseChallenge(
  method: string,
  target: string,
  route: EdgeRoute | undefined,
  thumbprint: string | null,
): Answer {
  if (!isRead(method)) return page('method_not_allowed');
  const token = /^[A-Za-z0-9_-]{16,256}$/.exec(target.slice(CHALLENGE_PATH.length))?.[0];
  if (token === undefined || route?.answersChallenges !== true) return page('not_found');
  const named = route.challengeThumbprint ?? thumbprint;
  return named === null ? page('not_found') : { kind: 'text', text: `${token}.${named}` };
}

function redirect(serve: Extract<EdgeServe, { kind: 'redirect' }>, { host, target }: Asked, edge: EdgeFacts): Answer {
  const location = locationOf(redirectHostOf(serve, host), edge.publicHttpsPort, target);
  return { kind: 'redirect', status: serve.status, location };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function page(name: PageName): Answer {
  return { kind: 'page', page: name };
}

/**
 * Path and query of the request, unchanged: `//evil` stays a path. An absolute form (RFC 9112 §3.2.2) is accepted when it
 * names the host of the request.
 * @returns undefined for everything else
 */
export function parseTarget(target: string, hostHeader: string): string | undefined {
  if (target.startsWith('/')) return target;
  const [origin = '', authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (authority?.toLowerCase() !== hostHeader.toLowerCase()) return undefined;
  const path = target.slice(origin.length);
  return path.startsWith('/') ? path : `/${path}`;
}
