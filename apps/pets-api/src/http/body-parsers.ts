import { apiErrorOf, operations, type Operation, type Upload } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload, RouteOptions } from 'fastify';
import { parseJsonBody } from './json-body.js';
import { operationOf } from './operation-of.js';

const JSON_BODY_TIMEOUT_MS = 10_000;

const uploadTypes = new Set(
  Object.values<Operation>(operations).flatMap(({ body }) =>
    body !== undefined && 'mediaTypes' in body ? body.mediaTypes : [],
  ),
);

/** Accepts JSON in UTF-8, and the types of uploads; 415 for any other type names those of the operation. */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (takesUpload(request)) throw refuseType(request);
      refuseOtherEncodings(request);
      return parseJsonBody(body);
    },
  );
  fastify.addContentTypeParser([...uploadTypes], async (request: FastifyRequest, stream: RequestPayload) => {
    const types = uploadTypesOf(request);
    const type = /^[^;\s]*/.exec(request.headers['content-type'] ?? '')?.[0].toLowerCase();
    if (!types.some((each) => each === type)) throw refuseType(request);
    if (type !== 'application/gzip') refuseOtherEncodings(request, uploadOf(request)?.mayBeGzipped);
    return stream;
  });
  // Without a content type too.
  fastify.addContentTypeParser('*', (request, _stream, done) => done(refuseType(request)));
  fastify.addHook('preParsing', limitBodyTime);
  fastify.addHook('preParsing', limitBodySize);
  fastify.addHook('onRoute', setBodyLimit);
}

/** Some operations accept more than the limit of all routes. */
function setBodyLimit(route: RouteOptions): void {
  const body = operationOf(String(route.method), route.url)?.body;
  if (body !== undefined && 'schema' in body && body.maxBytes !== undefined) route.bodyLimit = body.maxBytes;
}

/** RFC 8259 §8.1: JSON between systems is UTF-8. Bytes of another charset, or compressed ones, would be misread. */
function refuseOtherEncodings({ headers }: FastifyRequest, mayBeGzipped = false): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported('The body must be in UTF-8.');
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity' || (mayBeGzipped && encoding === 'gzip')) return;
  throw unsupported(
    mayBeGzipped ? 'The body must not be compressed, or with gzip.' : 'The body must not be compressed.',
  );
}

/** Answers 408 for a slow body, except for uploads, which have the server's own limit. */
function limitBodyTime(
  request: FastifyRequest,
  reply: FastifyReply,
  body: RequestPayload,
  done: (error: Error | null, body: RequestPayload) => void,
): void {
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || takesUpload(request)) return done(null, body);
  const timer = setTimeout(() => {
    void reply
      .status(408)
      .header('connection', 'close')
      .send(apiErrorOf('timeout', 'The body did not arrive in time.'));
  }, JSON_BODY_TIMEOUT_MS);
  body.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  done(null, body);
}

/** The body is not read. */
const close = { connection: 'close' };

/** The rest of a body up to this size is read, so that the client can keep its connection. */
const MAX_IGNORED_BYTES = 1_048_576;

/**
 * Whether the rest of the body of a refused request will not be read. Its connection is closed: otherwise a client beyond its
 * limits makes us read as many bytes as it can send. Node itself does not read on where we have begun to.
 */
export function isRestUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete) return false;
  const bytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
  return raw.readableDidRead || bytes > MAX_IGNORED_BYTES;
}

/**
 * Refuses a body that is announced as too large. Only then a client that waits for it is asked to send the body: every check
 * of the request itself has been made (RFC 9110 §10.1.1). Fastify counts the bytes of JSON, and operations those of uploads.
 */
function limitBodySize(
  request: FastifyRequest,
  reply: FastifyReply,
  body: RequestPayload,
  done: (error: Error | null, body: RequestPayload) => void,
): void {
  const { headers, routeOptions } = request;
  const maxBytes = uploadOf(request)?.maxBytes ?? routeOptions.bodyLimit ?? Infinity;
  if (Number(headers['content-length'] ?? 0) > maxBytes)
    return done(new RequestError('payload_too_large', `The body is larger than ${maxBytes} bytes.`, close), body);
  if (headers.expect !== undefined) reply.raw.writeContinue();
  done(null, body);
}

/** Uploads are streamed: their bodies have no JSON time limit. */
function takesUpload(request: FastifyRequest): boolean {
  return uploadOf(request) !== undefined;
}

function uploadTypesOf(request: FastifyRequest): readonly string[] {
  return uploadOf(request)?.mediaTypes ?? [];
}

function uploadOf({ method, routeOptions }: FastifyRequest): Upload | undefined {
  const body = operationOf(method, routeOptions.url ?? '')?.body;
  return body !== undefined && 'mediaTypes' in body ? body : undefined;
}

function refuseType(request: FastifyRequest): RequestError {
  const types = takesUpload(request) ? uploadTypesOf(request) : ['application/json'];
  const hint = types.includes('application/gzip') ? ': a gzipped tar (tar -czhf site.tar.gz -C FOLDER .)' : '';
  const rule = `must be ${types.join(' or ')}${hint}`;
  const isNamed = request.headers['content-type'] !== undefined;
  return unsupported(isNamed ? `The body ${rule}.` : `The body has no content type; it ${rule}.`);
}

function unsupported(message: string): RequestError {
  return new RequestError('unsupported_media_type', message);
}
