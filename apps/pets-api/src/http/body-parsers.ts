import { apiErrorOf } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { parseJsonBody } from './json-body.js';

const JSON_BODY_TIMEOUT_MS = 10_000;

/** The only routes that take a bundle: as long as it needs to come in, and without being read into memory. */
const uploadRoutes = new Set(['/v1/projects/:projectId/deployments']);

/** JSON in UTF-8 everywhere, bundles where they belong, and nothing else: what is not listed here is answered 415. */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      refuseOtherEncodings(request);
      return parseJsonBody(body);
    },
  );
  fastify.addContentTypeParser('application/gzip', async (request: FastifyRequest, stream: RequestPayload) => {
    if (!takesUpload(request)) throw unsupported('The body must be application/json.');
    return stream;
  });
  fastify.addHook('preParsing', limitBodyTime);
}

/** RFC 8259 §8.1: JSON between systems is UTF-8. Bytes of another charset, or compressed ones, would be misread. */
function refuseOtherEncodings({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported('The body must be in UTF-8.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw unsupported('The body must not be compressed.');
}

/** Only uploads may take as long as the server's own limit; any other body that dribbles in is answered 408. */
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

function takesUpload(request: FastifyRequest): boolean {
  return uploadRoutes.has(request.routeOptions.url ?? '') && request.method === 'POST';
}

function unsupported(message: string): RequestError {
  return new RequestError('unsupported_media_type', message);
}
