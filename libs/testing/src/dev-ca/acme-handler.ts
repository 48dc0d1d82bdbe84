import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, type Handler } from '../processes/http-server.js';
import { parseDelays, type AcmeContext, type Answer } from './acme-context.js';
import { parseJwk, parseJws, type Nonces, type SignedRequest } from './jws.js';
import * as accounts from './operations.js';
import * as operations from './operations.js';
import { revokeCert } from './operations.js';
import { profileNames, profiles, type Account } from './orders.js';
import { Problem } from './problem.js';
import { CAA_IDENTITY } from './validation.js';

const BODY_LIMIT_BYTES = 65_536;

type Operation = (context: AcmeContext, caller: Account, id: string, payload: unknown) => Answer | Promise<Answer>;

/** Requests of a known account, by the first part of the path; most carry an id as the second. */
const accountOperations: Readonly<Record<string, Operation>> = {
  'new-order': (context, caller, _id, payload) => operations.newOrder(context, caller, payload),
  accounts: accounts.account,
  orders: operations.order,
  authorizations: operations.authorization,
  challenges: operations.challenge,
  'orders/finalize': operations.finalize,
  certificates: operations.certificate,
  'revoke-cert': revokeCert,
};

/** ACME over HTTP: routes, and the checks that every signed request goes through (RFC 8555 §6). */
export function acmeHandler(context: AcmeContext, nonces: Nonces): Handler {
  return async (request, response) => {
    const answer = await answerOrProblem(request, context, nonces);
    response.setHeader('replay-nonce', nonces.next());
    response.setHeader('cache-control', 'no-store');
    response.setHeader('link', `<${context.baseUrl}/directory>;rel="index"`);
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.appendHeader(name, value);
    send(response, answer);
  };
}

async function answerOrProblem(request: IncomingMessage, context: AcmeContext, nonces: Nonces): Promise<Answer> {
  try {
    const { pathname, searchParams } = new URL(request.url ?? '/', context.baseUrl);
    if (pathname === '/control/delays') return await control(request, context);
    if (pathname === '/control/orders') return { status: 200, body: context.store.ordersOf(searchParams.get('name')) };
    return readUnsigned(request, pathname, context) ?? (await answerSigned(request, pathname, context, nonces));
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem('serverInternal', String(error));
    return { status: problem.status, body: problem.toDocument(), contentType: 'application/problem+json' };
  }
}

/** Not of ACME: how slow this CA is. */
async function control(request: IncomingMessage, context: AcmeContext): Promise<Answer> {
  if (request.method === 'PUT') context.delays = parseDelays(await readBody(request, BODY_LIMIT_BYTES));
  return { status: 200, body: context.delays };
}

/** Answers requests without a signature. */
function readUnsigned({ method }: IncomingMessage, pathname: string, context: AcmeContext): Answer | undefined {
  if (pathname === '/directory' && method === 'GET') return { status: 200, body: directory(context) };
  if (pathname === '/new-nonce' && method === 'HEAD') return { status: 200, body: '' };
  if (pathname === '/new-nonce' && method === 'GET') return { status: 204, body: '' };
  const [, first, identifier = ''] = pathname.split('/');
  if (first === 'renewal-info' && method === 'GET') return operations.renewalInfo(context, identifier);
  return undefined;
}

async function answerSigned(
  request: IncomingMessage,
  pathname: string,
  context: AcmeContext,
  nonces: Nonces,
): Promise<Answer> {
  const [, first = '', id = '', last, ...rest] = pathname.split('/');
  const operation = accountOperations[last === undefined ? first : `${first}/${last}`];
  if (rest.length > 0 || (pathname !== '/new-account' && !operation)) {
    throw new Problem('malformed', `there is nothing at ${pathname}`, { status: 404 });
  }
  if (request.method !== 'POST')
    throw new Problem('malformed', 'ACME resources take signed POST requests', { status: 405 });
  const signed = await readSigned(request, `${context.baseUrl}${pathname}`, nonces);
  if (!operation) {
    const jwk = parseJwk(signed.header.jwk);
    signed.verifyWith(jwk);
    return accounts.newAccount(context, jwk, signed.payload);
  }
  const caller = callerOf(signed, context);
  return operation(context, caller, id, signed.payload);
}

/** The nonce is used up even where the rest is refused. */
async function readSigned(request: IncomingMessage, url: string, nonces: Nonces): Promise<SignedRequest> {
  if (request.headers['content-type'] !== 'application/jose+json') {
    throw new Problem('malformed', 'the content type must be application/jose+json', { status: 415 });
  }
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body === undefined) throw new Problem('malformed', 'the request is too long', { status: 413 });
  const signed = parseJws(body);
  if (!nonces.use(signed.header.nonce)) throw new Problem('badNonce', 'the nonce is unknown or was used before');
  if (signed.header.url !== url)
    throw new Problem('unauthorized', `the JWS is for ${signed.header.url}, not for ${url}`);
  return signed;
}

function callerOf(signed: SignedRequest, { baseUrl, store }: AcmeContext): Account {
  if (signed.header.kid === undefined) throw new Problem('malformed', 'this request must be signed by kid');
  const prefix = `${baseUrl}/accounts/`;
  const id = signed.header.kid.startsWith(prefix) ? signed.header.kid.slice(prefix.length) : '';
  const caller = store.account(id);
  if (!caller) throw new Problem('accountDoesNotExist', `account ${signed.header.kid} does not exist`);
  signed.verifyWith(caller.jwk);
  if (caller.status !== 'valid') throw new Problem('unauthorized', 'the account is deactivated');
  return caller;
}

function directory({ baseUrl }: AcmeContext) {
  return {
    newNonce: `${baseUrl}/new-nonce`,
    newAccount: `${baseUrl}/new-account`,
    newOrder: `${baseUrl}/new-order`,
    revokeCert: `${baseUrl}/revoke-cert`,
    renewalInfo: `${baseUrl}/renewal-info`,
    meta: {
      caaIdentities: [CAA_IDENTITY],
      profiles: Object.fromEntries(profileNames.map((name) => [name, profiles[name].text])),
    },
  };
}

function send(response: ServerResponse, { status, body, contentType = 'application/json' }: Answer): void {
  if (body === '') {
    response.writeHead(status).end();
    return;
  }
  response
    .writeHead(status, { 'content-type': contentType })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}
