import type { IncomingHttpHeaders } from 'node:http';
import { CSRF_HEADER } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { isWrite } from '../../http/operation-of.js';

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
