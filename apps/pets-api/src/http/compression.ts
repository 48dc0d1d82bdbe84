import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Shorter responses fit into a few packets anyway, and secrets that are shown once are in short ones (BREACH). */
const MIN_BYTES = 4_096;
/** A page of 50 domains, 92 kB: 8 kB after a millisecond. Higher levels take longer for little. */
const LEVEL = 4;

/**
 * Compresses JSON that is read (RFC 9110 §8.4), for clients that accept gzip. Responses with an ETag are left alone: a strong one
 * names the bytes of a single coding, and clients send it back in `If-Match`. Not with `@fastify/compress`: it brings eight
 * packages, and does more work for requests that do not ask for it, such as those of the fast list.
 */
export function compressLists(fastify: FastifyInstance): void {
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
