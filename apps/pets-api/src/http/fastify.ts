import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { errorStatus, type ErrorCode } from '@pets/contracts';
import { DomainError } from '@pets/platform';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { describeError } from './describe-error.js';
import { parseJsonBody, stringifyExactly } from './json-body.js';

const JSON_BODY_LIMIT = 64 * 1024;
/** A domain name in a path, each of its characters escaped. */
const MAX_PARAM_LENGTH = 3 * 253;
const HEADERS_TIMEOUT_MS = 5_000;
const JSON_BODY_TIMEOUT_MS = 10_000;
const UPLOAD_TIMEOUT_MS = 300_000;

/** Fastify with our limits, our parsers and our error shape down to what never reaches a route. */
export function createFastifyAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: JSON_BODY_LIMIT,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    requestTimeout: UPLOAD_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      const { body, headers } = describeError(error);
      void reply.status(body.status).headers(headers).send(body);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  configure(adapter.getInstance<FastifyInstance>());
  return adapter;
}

function configure(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJsonBody(body),
  );
  fastify.addContentTypeParser('application/gzip', async (_request: unknown, stream: unknown) => stream);
  fastify.setReplySerializer(stringifyExactly);
  fastify.addHook('preParsing', limitBodyTime);
  fastify.addHook('onSend', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    if (request.url.startsWith('/v1')) reply.header('cache-control', 'no-store');
  });
}

/** Only uploads may take as long as the server's own limit; any other body that dribbles in is answered 408. */
async function limitBodyTime(request: FastifyRequest, reply: FastifyReply, body: RequestPayload): Promise<void> {
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || headers['content-type']?.startsWith('application/gzip')) return;
  const timer = setTimeout(() => {
    const timeout = new DomainError('timeout', 'The body did not arrive in time.');
    void reply.status(408).header('connection', 'close').send(timeout.toApiError());
  }, JSON_BODY_TIMEOUT_MS);
  body.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}

/** What Node's parser refuses never becomes a request; it still gets the one error shape, and then the connection ends. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [code, message] =
    brokenRequests[error.code ?? ''] ?? (['invalid_request', 'The request is not valid HTTP.'] as const);
  const body = JSON.stringify({ code, message, status: errorStatus[code] });
  socket.end(
    `HTTP/1.1 ${errorStatus[code]} ${code}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const brokenRequests: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The header section is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['timeout', 'The request did not arrive in time.'],
};
