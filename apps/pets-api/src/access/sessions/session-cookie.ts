import type { IncomingHttpHeaders } from 'node:http';
import { CSRF_HEADER } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { isWrite } from '../../http/operation-of.js';

/** A browser takes this prefix only with `Secure`, `Path=/` and no `Domain`: so no other host, not even a sibling, can set it. */
export const SESSION_COOKIE = '__Host-session';

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** The header that makes a browser keep the key of a session until it ends. */
export function setSessionCookie(secret: string, endsAt: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((endsAt.getTime() - now.getTime()) / 1_000));
  return `${SESSION_COOKIE}=${secret}; Max-Age=${seconds}; ${attributes}`;
}

export const clearSessionCookie = `${SESSION_COOKIE}=; Max-Age=0; ${attributes}`;

/** The value of a cookie; null if there is none, or several: then it is unknown which of them the server has set. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? (values[0] ?? null) : null;
}

/**
 * Refuses a request that a page other than the dashboard makes a browser send. `SameSite` alone does not: the sites of customers
 * below the platform domain may be the same site as the dashboard.
 * @returns null if the request may use a session's cookie
 */
export function findForgery(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  dashboardOrigin: string,
): RequestError | null {
  const { origin, 'sec-fetch-site': site } = headers;
  // Browsers send `none` if the user opens an address. Old browsers do not send the header.
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isOtherSite || (origin ?? dashboardOrigin) !== dashboardOrigin) return otherOrigin(dashboardOrigin);
  if (!isWrite(method)) return null;
  if (origin === undefined) return otherOrigin(dashboardOrigin);
  if (headers[CSRF_HEADER] === '1') return null;
  return new RequestError('forbidden', `With a session’s cookie, send the header ${CSRF_HEADER}: 1.`);
}

function otherOrigin(dashboardOrigin: string): RequestError {
  return new RequestError(
    'forbidden',
    `The session cookie is accepted only from the dashboard at ${dashboardOrigin}/dashboard.`,
  );
}
