import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readBody } from '../http-server.js';
import { read } from './jws.js';
import { Problem } from './problem.js';
import type { Answer } from './acme-context.js';
import type { Revocation } from './revocation.js';

const BODY_LIMIT_BYTES = 65_536;

/** Which certificates are to be renewed at once: those for any of these names, or all. */
const renewNowSchema = z.object({ names: z.array(z.string()).optional(), explanationURL: z.url().optional() });
type RenewNow = z.infer<typeof renewNowSchema>;

/** What the control reaches of the CA. */
export type Controlled = { readonly renewNow: (wanted: RenewNow) => number; readonly revocations: () => Revocation[] };

/**
 * What a test or a developer does to the running CA, over the same port: `GET /control/revocations` lists the certificates
 * that were revoked; `POST /control/renew-now` with
 * `{"names"?: [...], "explanationURL"?: "…"}` moves the suggested windows of certificates into the past, as a CA does
 * before it revokes many. Not ACME: unsigned, since only this machine reaches it.
 */
export async function control(
  request: IncomingMessage,
  pathname: string,
  { renewNow, revocations }: Controlled,
): Promise<Answer> {
  if (pathname === '/control/revocations' && request.method === 'GET') return { status: 200, body: revocations() };
  if (pathname !== '/control/renew-now') throw new Problem('malformed', `there is no ${pathname}`, { status: 404 });
  if (request.method !== 'POST') throw new Problem('malformed', 'this takes POST', { status: 405 });
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body === undefined) throw new Problem('malformed', 'the request is too long', { status: 413 });
  return { status: 200, body: { certificates: renewNow(read(renewNowSchema, parse(body), 'the body')) } };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw new Problem('malformed', 'the body is not JSON');
  }
}
