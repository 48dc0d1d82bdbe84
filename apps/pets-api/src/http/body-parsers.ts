import { apiErrorOf, operations, type Operation } from '@pets/contracts';
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

/** Accepts JSON in UTF-8, and the types of uploads. Fastify answers 415 for any other type. */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const types = uploadTypesOf(request);
      if (types.length > 0) throw unsupported(`The body must be ${types.join(' or ')}.`);
      refuseOtherEncodings(request);
      return parseJsonBody(body);
    },
  );
  fastify.addContentTypeParser([...uploadTypes], async (request: FastifyRequest, stream: RequestPayload) => {
    const types = uploadTypesOf(request);
    if (types.length === 0) throw unsupported('The body must be application/json.');
    const type = /^[^;\s]*/.exec(request.headers['content-type'] ?? '')?.[0].toLowerCase();
    if (!types.some((each) => each === type)) throw unsupported(`The body must be ${types.join(' or ')}.`);
    if (type !== 'application/gzip') refuseOtherEncodings(request);
    return stream;
  });
  fastify.addHook('preParsing', limitBodyTime);
  fastify.addHook('onRoute', setBodyLimit);
}

/** Some operations accept more than the limit of all routes. */
function setBodyLimit(route: RouteOptions): void {
  const body = operationOf(String(route.method), route.url)?.body;
  if (body !== undefined && 'schema' in body && body.maxBytes !== undefined) route.bodyLimit = body.maxBytes;
}

/** RFC 8259 §8.1: JSON between systems is UTF-8. Bytes of another charset, or compressed ones, would be misread. */
function refuseOtherEncodings({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported('The body must be in UTF-8.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw unsupported('The body must not be compressed.');
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

/** Uploads are streamed: their bodies have no JSON time limit. */
function takesUpload(request: FastifyRequest): boolean {
  return uploadTypesOf(request).length > 0;
}

function uploadTypesOf({ method, routeOptions }: FastifyRequest): readonly string[] {
  const body = operationOf(method, routeOptions.url ?? '')?.body;
  return body !== undefined && 'mediaTypes' in body ? body.mediaTypes : [];
}

function unsupported(message: string): RequestError {
  return new RequestError('unsupported_media_type', message);
}
