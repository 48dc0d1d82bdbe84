import type { EdgeRoute, EdgeServe } from '@pets/contracts';
import { normalizeHost } from '../routing/host-name.js';
import type { PageName } from './pages.js';
import { locationOf, parseTarget } from './request-target.js';

/**
 * What is answered to a request, decided from facts alone. Two listeners, two functions; both are asked for every
 * request, since a connection may outlive the route it was opened for.
 */

export interface RequestFacts {
  readonly method: string;
  /** As on the wire. */
  readonly target: string;
  /** Each Host header or `:authority`. */
  readonly hosts: readonly string[];
}

export interface EdgeFacts {
  readonly find: (host: string) => EdgeRoute | undefined;
  readonly thumbprint: string | null;
  readonly publicHttpsPort: number;
}

export type Answer = {
  /** Strict-Transport-Security, where the project asks for it: over TLS alone (RFC 6797 §7.2). */
  readonly hsts?: string | undefined;
} & (
  | { readonly kind: 'page'; readonly page: PageName; readonly endsConnection?: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  | { readonly kind: 'site'; readonly contentHash: string; readonly target: string }
);

const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** Answers on the plain port: challenges, redirects, and the way to HTTPS. */
export function choosePlainResponse(request: RequestFacts, edge: EdgeFacts): Answer {
  const asked = parseRequest(request);
  if (asked === undefined) return page('bad_request');
  const { host, target } = asked;
  const route = host === undefined ? undefined : edge.find(host);

  if (target.startsWith(CHALLENGE_PATH)) return chooseChallenge(request.method, target, route, edge.thumbprint);
  if (host === undefined || route === undefined) return page('unknown_host');
  if (route.serve?.kind === 'suspended') return page('suspended');
  if (route.serve?.kind === 'redirect') return redirect(route.serve, target, edge);
  if (route.serve === null || route.certificateId === null) return page('certificate_pending');
  return { kind: 'redirect', status: 308, location: locationOf(host, edge.publicHttpsPort, target) };
}

/** @param servername the name of the handshake as the table spells it; a request for another one belongs on another connection */
export function chooseSecureResponse(request: RequestFacts, servername: string | undefined, edge: EdgeFacts): Answer {
  const asked = parseRequest(request, servername);
  if (asked === undefined) return page('bad_request');
  const { host, target } = asked;
  if (host === undefined || host !== servername) return page('misdirected');
  const route = edge.find(host);
  if (route === undefined || route.certificateId === null)
    return { kind: 'page', page: 'misdirected', endsConnection: true };
  const answer = chooseServed(request.method, route, target, edge);
  return route.hsts === undefined ? answer : { ...answer, hsts: route.hsts };
}

function chooseServed(method: string, route: EdgeRoute, target: string, edge: EdgeFacts): Answer {
  if (route.serve?.kind === 'suspended') return page('suspended');
  if (!isRead(method)) return page('method_not_allowed');
  if (route.serve === null) return page('certificate_pending');
  switch (route.serve.kind) {
    case 'redirect':
      return redirect(route.serve, target, edge);
    case 'site':
      return chooseFiles(route.serve.contentHash, target);
  }
}

/** Undefined when the request does not say exactly one host and one path (RFC 9112 §3.2: two Host headers are 400). */
function parseRequest(
  { hosts, target }: RequestFacts,
  expected?: string,
): { host: string | undefined; target: string } | undefined {
  const [host, ...others] = hosts;
  if (host === undefined || others.length > 0) return undefined;
  const path = parseTarget(target, host);
  return path === undefined ? undefined : { host: host === expected ? host : normalizeHost(host), target: path };
}

/** HTTP-01 (RFC 8555 §8.3): the key authorization of a name that is being issued; the token is the asker's own. */
function chooseChallenge(
  method: string,
  target: string,
  route: EdgeRoute | undefined,
  thumbprint: string | null,
): Answer {
  if (!isRead(method)) return page('method_not_allowed');
  const token = /^[A-Za-z0-9_-]{16,256}$/.exec(target.slice(CHALLENGE_PATH.length))?.[0];
  if (token === undefined || thumbprint === null || route?.answersChallenges !== true) return page('not_found');
  return { kind: 'text', text: `${token}.${thumbprint}` };
}

function redirect(serve: Extract<EdgeServe, { kind: 'redirect' }>, target: string, edge: EdgeFacts): Answer {
  return { kind: 'redirect', status: serve.status, location: locationOf(serve.to, edge.publicHttpsPort, target) };
}

function chooseFiles(contentHash: string, target: string): Answer {
  if (!/^[0-9a-f]{2,128}$/i.test(contentHash)) return page('unavailable');
  return { kind: 'site', contentHash, target };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function page(name: PageName): Answer {
  return { kind: 'page', page: name };
}
