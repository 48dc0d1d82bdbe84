import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { apiErrorOf, problemOf, type ApiError, type ErrorCode, type ProblemDetails } from '@pets/contracts';
import { DependencyUnavailable, RequestError, type Logger } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientAddresses } from '../platform/client-addresses.js';
import { isRestUnread } from './body-parsers.js';
import { wantsProblemDetails } from './negotiation.js';
import { logAccess, requestIdOf, type Access, type AccessLog } from './request-context.js';

interface DescribedError {
  readonly body: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Errors of Fastify and Node before a handler runs, by error code. */
const frameworkErrors: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type', message: 'The content type is malformed.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large', message: 'The body is too large.' },
  FST_ERR_CTP_EMPTY_TYPE: { code: 'unsupported_media_type', message: 'The body has no content type.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    message: 'The body does not have the announced length.',
  },
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The URL is malformed.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long', message: 'A part of the path is too long.' },
  FST_ERR_ASYNC_CONSTRAINT: { code: 'invalid_request', message: 'The request cannot be routed.' },
};

const codeByStatus = new Map<number, ErrorCode>([
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [408, 'timeout'],
  [413, 'payload_too_large'],
  [414, 'uri_too_long'],
  [415, 'unsupported_media_type'],
  [429, 'rate_limited'],
  [503, 'unavailable'],
]);

/** Converts any thrown value to an API error. Errors that are not for clients become `internal`, without details. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof RequestError) return { body: error.toApiError(), headers: error.headers };
  const known = findFrameworkError(error);
  if (known !== undefined) return describe(known.code, known.message);
  const status = statusOf(error);
  if (status === 404) return describe('not_found', 'There is nothing at this path.');
  if (status >= 400 && status < 500) return describe(codeByStatus.get(status) ?? 'invalid_request', messageOf(error));
  if (error instanceof DependencyUnavailable)
    return describe('unavailable', 'The service cannot reach its database or queue. Try again shortly.', {
      'retry-after': '2',
    });
  return describe('internal', 'Something went wrong on our side.');
}

/** Nest wraps Fastify's errors. */
function findFrameworkError(error: unknown) {
  const original = error instanceof HttpException ? error.cause : error;
  return original instanceof Error && 'code' in original ? frameworkErrors[String(original.code)] : undefined;
}

function describe(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}): DescribedError {
  return { body: apiErrorOf(code, message), headers };
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The request is invalid.';
}

interface ErrorBody {
  readonly contentType: string;
  readonly body: ApiError | ProblemDetails;
}

/** Our error format, or problem details (RFC 9457) for clients that prefer them. */
export function renderError(
  error: ApiError,
  { accept, requestId, publicUrl }: { accept: string | undefined; requestId: string; publicUrl: string },
): ErrorBody {
  if (!wantsProblemDetails(accept)) return { contentType: 'application/json; charset=utf-8', body: error };
  return { contentType: 'application/problem+json', body: problemOf(error, { publicUrl, requestId }) };
}

/** A `preSerialization` hook, so that every error is negotiated in one place. */
export function negotiateErrors(publicUrl: string) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void => {
    const { accept } = request.headers;
    if (reply.statusCode < 400 || !isApiError(payload) || !wantsProblemDetails(accept)) return done(null, payload);
    const { contentType, body } = renderError(payload, { accept, requestId: request.id, publicUrl });
    void reply.type(contentType);
    done(null, body);
  };
}

function isApiError(payload: unknown): payload is ApiError {
  return typeof payload === 'object' && payload !== null && 'code' in payload && 'message' in payload;
}

/** Converts every thrown error to a response. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { body, headers } = describeError(error);
    if (body.status >= 500) {
      const route = request.routeOptions.url;
      this.log.error({ err: error, method: request.method, route, requestId: request.id }, 'request failed');
    }
    if (reply.sent) return;
    if (isRestUnread(request)) void reply.header('connection', 'close');
    void reply.status(body.status).headers(headers).send(body);
  }
}

/** Node's own limit of a header section. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Answers errors that occur before Fastify has a request, in the same error shape and with a request id. */
interface UnroutedErrors {
  readonly publicUrl: string;
  readonly log: AccessLog;
  readonly addresses: ClientAddresses;
}

/** RFC 9110 §10.1.1: the only defined expectation is `100-continue`, which `body-parsers.ts` answers after its checks. */
export function refuseExpectations(server: Server, { publicUrl, log, addresses }: UnroutedErrors): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    const error = apiErrorOf('expectation_failed', 'The only supported expectation is 100-continue.');
    const { contentType, body } = renderError(error, { accept: request.headers.accept, requestId, publicUrl });
    const text = JSON.stringify(body);
    response.writeHead(error.status, headersOf(requestId, { contentType, text })).end(text);
    const address = addresses.of(request);
    logRefusal(log, { method: request.method ?? null, status: error.status, address, requestId });
  });
}

/** Answers bytes that Node cannot parse as a request, and closes the connection. */
export function answerMalformedRequest({ log, addresses }: Pick<UnroutedErrors, 'log' | 'addresses'>) {
  return (error: ParserError, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const requestId = requestIdOf({ headers: {} });
    // Of a proxy itself, since no header could be read.
    const address = addresses.of({ socket, headers: {} });
    const body = classify(error);
    const text = JSON.stringify(body);
    const headers = headersOf(requestId, { contentType: 'application/json; charset=utf-8', text });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join('')}\r\n${text}`);
    logRefusal(log, { method: null, status: body.status, address, requestId });
  };
}

function logRefusal(log: AccessLog, refusal: Pick<Access, 'method' | 'status' | 'address' | 'requestId'>): void {
  logAccess(log, { ...refusal, route: null, completed: true, ms: null });
}

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes at hand when the parser gave up: a Buffer, whatever Fastify's types say. */
  readonly rawPacket?: unknown;
}

function classify({ code, rawPacket }: ParserError): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return apiErrorOf('timeout', 'The request did not arrive in time.');
  if (code !== 'HPE_HEADER_OVERFLOW') return apiErrorOf('invalid_request', 'The request is not valid HTTP.');
  return isRequestLineUnended(rawPacket)
    ? apiErrorOf('uri_too_long', 'The URL is too long.')
    : apiErrorOf('headers_too_large', 'The header section is too large.');
}

/** The parser has one limit for URL and headers. If the packet contains no line end, the URL exceeded it. */
function isRequestLineUnended(packet: unknown): boolean {
  return (
    packet instanceof Uint8Array &&
    /^[A-Z]+ \/[^\r\n]*$/.test(Buffer.from(packet).toString('latin1', 0, MAX_HEADER_BYTES))
  );
}

/** The rest of such a request is not read, so the connection must close. */
function headersOf(requestId: string, { contentType, text }: { contentType: string; text: string }) {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
}
