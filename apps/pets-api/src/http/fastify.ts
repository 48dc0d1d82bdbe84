import type { IncomingMessage, Server } from 'node:http';
import { gzip } from 'node:zlib';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RequestError } from '@pets/platform';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import createRouter, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';
import Negotiator from 'negotiator';
import type { ClientAddresses } from '../platform/client-addresses.js';
import {
  answerMalformedRequest,
  describeError,
  negotiateErrors,
  refuseExpectations,
  renderError,
} from './api-errors.js';
import { addBodyParsers } from './body-parsers.js';
import { boundListenerOf, type InternalListener, type Listener } from './internal-listener.js';
import { stringifyWithBigInt } from './json-body.js';
import { accepts, EVENT_STREAM_TYPE, wantsProblemDetails } from './negotiation.js';
import { operationOf } from './operation-of.js';
import {
  bindLogContext,
  continueTraces,
  logOnClose,
  recordRequests,
  requestIdOf,
  type AccessLog,
} from './request-context.js';
import { preflightHeadersOf } from './setup-routes.js';
import { routeUpgrades } from './websocket-upgrades.js';

const JSON_BODY_LIMIT = 64 * 1024;
/** A domain name in a path with every character escaped. */
const MAX_PARAM_LENGTH = 3 * 253;
const HEADERS_TIMEOUT_MS = 5_000;
const UPLOAD_TIMEOUT_MS = 300_000;

export interface FastifySettings {
  /** Base of the URLs of problem types. */
  readonly publicUrl: string;
  readonly log: AccessLog;
  readonly addresses: ClientAddresses;
  /** Whether traces are recorded. */
  readonly isTraced?: boolean;
  /** The separate listener of `/internal` and `/metrics`, if there is one. */
  readonly internal?: InternalListener | undefined;
  /** Whether a request asks for an upgrade that one of the routes completes. */
  readonly isUpgrade?: (request: IncomingMessage) => boolean;
}

/**
 * Fastify with our limits, parsers and error format, also for requests without a route. Checks run in this order:
 * message, path, method, key, content. Hooks that do not wait are synchronous, which saves a promise for each request.
 */
export function createFastifyAdapter(settings: FastifySettings): FastifyAdapter {
  const { internal } = settings;
  const adapter = new FastifyAdapter({
    bodyLimit: JSON_BODY_LIMIT,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => decodeColons(url),
    requestTimeout: UPLOAD_TIMEOUT_MS,
    // Requests on kept connections are still answered during a stop: their dependencies close after the server.
    return503OnClosing: false,
    // Without a Host header Node would send its own answer, without a body; `validateMessage` refuses it instead.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      shouldUpgradeCallback: settings.isUpgrade ?? (() => false),
    },
    // There is no Express-style middleware.
    skipMiddie: true,
    genReqId: requestIdOf,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      answerUnroutable(error, { request, reply, settings, knownPaths }),
    clientErrorHandler: answerMalformedRequest(settings),
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  internal?.attach(fastify);
  const knownPaths = trackKnownPaths(fastify, MAX_PARAM_LENGTH);
  fastify.decorateRequest('clientAddress', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.clientAddress = settings.addresses.of(request.raw);
    logOnClose(settings.log, request, reply);
    done();
  });
  if (settings.isTraced === true) recordRequests(fastify, settings.publicUrl);
  else continueTraces(fastify);
  bindLogContext(fastify);
  refuseUnroutable(fastify, knownPaths, internal);
  addBodyParsers(fastify);
  negotiate(fastify, settings.publicUrl);
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    addCommonHeaders(request, reply);
    done();
  });
  compressLists(fastify);
  routeUpgrades(fastify.server, (request, response) => fastify.routing(request, response));
  refuseExpectations(fastify.server, settings);
  if (internal !== undefined) limitAsPublic(internal.server, fastify.server, settings);
  return adapter;
}

/**
 * Decodes the colons of a path, such as that of `domains:batch`, which some clients encode. A colon may be in a path (RFC 3986
 * §3.3) and separates nothing in ours, so both mean the same; the router would not decode it.
 */
function decodeColons(url: string): string {
  if (!url.includes('%3')) return url;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.replaceAll(/%3a/gi, ':') + url.slice(path.length);
}

/** Runs before authentication: rejects malformed messages, unknown paths and wrong methods, and answers OPTIONS. */
function refuseUnroutable(
  fastify: FastifyInstance,
  knownPaths: KnownPaths,
  internal: InternalListener | undefined,
): void {
  const refuse = (request: FastifyRequest, reply: FastifyReply): void => {
    const allowed = knownPaths.allowedMethods(request.url, listenerOf(request, internal));
    if (allowed.length === 0) throw notFound();
    const allow = allowed.join(', ');
    if (request.method !== 'OPTIONS') {
      throw new RequestError('method_not_allowed', `This path allows ${allow}.`, { allow });
    }
    void reply.status(204).headers(preflightHeadersOf(request.url)).header('allow', allow).send();
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const fault = validateMessage(request);
    if (fault !== null) return done(fault);
    if (!request.is404) return done();
    try {
      refuse(request, reply);
    } catch (error) {
      done(error as Error); // `refuse` throws only errors
    }
  });
}

function listenerOf(request: FastifyRequest, internal: InternalListener | undefined): Listener {
  return internal?.listenerOf(request.raw) ?? 'public';
}

function notFound(): RequestError {
  return new RequestError('not_found', 'There is nothing at this path.');
}

/** Fastify sets these limits only on its own server. */
function limitAsPublic(server: Server, publicServer: Server, settings: FastifySettings): void {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = publicServer;
  Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout });
  server.on('clientError', answerMalformedRequest(settings));
  refuseExpectations(server, settings);
}

function negotiate(fastify: FastifyInstance, publicUrl: string): void {
  fastify.setReplySerializer(stringifyWithBigInt);
  fastify.addHook('preSerialization', negotiateErrors(publicUrl));
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const { accept } = request.headers;
    const isAcceptable =
      !request.routeOptions.url?.startsWith('/v1/') || accepts(accept, typesOf(request)) || wantsProblemDetails(accept);
    if (isAcceptable) return done(null, payload);
    done(new RequestError('not_acceptable', 'The response is only available as application/json.'));
  });
}

/** JSON, besides the file or the stream of the operation. */
function typesOf({ method, routeOptions: { url = '' } }: FastifyRequest): readonly string[] {
  const { mediaTypes = [], stream } = operationOf(method, url)?.answers[200] ?? {};
  return ['application/json', ...mediaTypes, ...(stream === undefined ? [] : [EVENT_STREAM_TYPE])];
}

interface UnroutableRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly settings: FastifySettings;
  readonly knownPaths: KnownPaths;
}

/** Fastify runs no hooks for requests that its router rejects. */
function answerUnroutable(error: FastifyError, { request, reply, settings, knownPaths }: UnroutableRequest): void {
  const listener = listenerOf(request, settings.internal);
  // The router checks the length of path parts before it knows the listener of a route.
  const isElsewhere = error.code === 'FST_ERR_MAX_PARAM_LENGTH' && !knownPaths.isTooLong(request.url, listener);
  const { body, headers } = describeError(validateMessage(request) ?? (isElsewhere ? notFound() : error));
  const { accept } = request.headers;
  const rendered = renderError(body, { accept, requestId: request.id, publicUrl: settings.publicUrl });
  addCommonHeaders(request, reply);
  request.clientAddress = settings.addresses.of(request.raw);
  logOnClose(settings.log, request, reply);
  void reply.status(body.status).headers(headers).type(rendered.contentType).send(JSON.stringify(rendered.body));
}

function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  // Fastify closes the connection after a rejected body. After a body that was read completely it is still usable.
  if (request.raw.complete && reply.hasHeader('connection')) reply.header('connection', 'keep-alive');
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  // The route's template if there is one: a request target may be absolute, as in `http://host/v1/pets`.
  const path = request.routeOptions.url ?? request.url;
  if (path.startsWith('/v1')) reply.header('cache-control', 'no-store');
}

/** Longer than any of our URLs with a cursor, and below the parser's limit, which would close the connection. */
const MAX_URL_LENGTH = 4096;

/** Checks the message itself, independent of its route. @returns null for a valid message */
function validateMessage({ raw }: FastifyRequest): RequestError | null {
  const hosts = countHeaders(raw.rawHeaders, 'host');
  // RFC 9112 §3.2: a server must answer 400 to both. Servers on the way could interpret two Host headers differently.
  if (hosts > 1) return new RequestError('invalid_request', 'There is more than one Host header.');
  if (hosts === 0 && raw.httpVersion === '1.1') return new RequestError('invalid_request', 'There is no Host header.');
  if (countHeaders(raw.rawHeaders, 'authorization') > 1)
    return new RequestError('invalid_request', 'There is more than one Authorization header.');
  if ((raw.url ?? '').length > MAX_URL_LENGTH)
    return new RequestError('uri_too_long', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  return null;
}

/** Counts headers as sent: `headers` joins or drops repeated ones. `rawHeaders` alternates names and values. */
function countHeaders(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count;
}

interface KnownPaths {
  /** The methods of a URL at a listener; empty for an unknown path. */
  allowedMethods(url: string, listener: Listener): readonly string[];
  /** Whether a route of the listener would match if no part of the path were too long. */
  isTooLong(url: string, listener: Listener): boolean;
}

type Router = Instance<HTTPVersion.V1>;

/**
 * Mirrors all routes in one router for each listener, because Fastify's own router does not list the methods of a path.
 * Used only for requests without a route.
 */
function trackKnownPaths(fastify: FastifyInstance, maxParamLength: number): KnownPaths {
  const create = () => createRouter({ maxParamLength, onMaxParamLength: () => undefined });
  const routers: Readonly<Record<Listener, Router>> = { public: create(), internal: create() };
  const methods = new Set<HTTPMethod>();
  fastify.addHook('onRoute', ({ method, url, constraints }) => {
    if (isCatchAll(url)) return;
    const listener = boundListenerOf({ constraints });
    for (const each of [method].flat() as HTTPMethod[]) {
      methods.add(each);
      for (const router of listener === undefined ? Object.values(routers) : [routers[listener]])
        if (!router.hasRoute(each, url)) router.on(each, url, () => undefined, KNOWN);
    }
  });
  return {
    allowedMethods: (url, listener) => {
      const found = [...methods].filter((method) => matches(routers[listener].find(method, url)));
      if (found.length === 0) return [];
      return [...new Set([...found, ...(found.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort();
    },
    isTooLong: (url, listener) => [...methods].some((method) => routers[listener].find(method, url)?.store === null),
  };
}

/** Stored with each route: a match without it means that a parameter is too long. */
const KNOWN = { isKnown: true };

/** Matches every path, so it says nothing about the methods of one. */
function isCatchAll(url: string): boolean {
  return url === '*' || url === '/*';
}

/** The router matches `/v1/pets/` with `/v1/pets/:petId` and an empty id; we treat that as unknown. */
function matches(found: ReturnType<Router['find']>): boolean {
  return found !== null && found.store === KNOWN && Object.values(found.params).every((value) => value !== '');
}

/** Shorter responses fit into a few packets anyway, and secrets that are shown once are in short ones (BREACH). */
const MIN_BYTES = 4_096;
/** A page of 50 domains, 92 kB: 8 kB after a millisecond. Higher levels take longer for little. */
const LEVEL = 4;

/**
 * Compresses JSON that is read (RFC 9110 §8.4), for clients that accept gzip. Responses with an ETag are left alone: a strong one
 * names the bytes of a single coding, and clients send it back in `If-Match`. Not with `@fastify/compress`: it brings eight
 * packages, and does more work for requests that do not ask for it, such as those of the fast list.
 */
function compressLists(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (!isLongJson(request, reply, payload)) return done();
    reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
    const acceptEncoding = request.headers['accept-encoding'];
    if (acceptEncoding === undefined || !acceptsGzip(acceptEncoding)) return done();
    gzip(payload, { level: LEVEL }, (error, compressed) => {
      if (error !== null) return done(null, payload);
      reply.removeHeader('content-length').header('content-encoding', 'gzip');
      done(null, compressed);
    });
  });
}

function isLongJson(request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Buffer {
  const isLong = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= MIN_BYTES;
  if (!isLong || !isRead(request) || reply.hasHeader('etag') || reply.hasHeader('content-encoding')) return false;
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && type.startsWith('application/json');
}

/** A response to HEAD has the headers of GET (RFC 9110 §9.3.2). */
function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function acceptsGzip(acceptEncoding: string): boolean {
  const client = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return client.encodings(['gzip', 'identity'], { preferred: ['gzip'] })[0] === 'gzip';
}
