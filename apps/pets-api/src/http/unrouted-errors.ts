import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { apiErrorOf, type ApiError } from '@pets/contracts';
import type { ClientAddresses } from '../platform/client-addresses.js';
import { logAccess, type Access, type AccessLog } from './access-log.js';
import { renderError } from './api-errors.js';
import { requestIdOf } from './request-context.js';

/** Node's own limit of a header section. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Answers errors that occur before Fastify has a request, in the same error shape and with a request id. */
export interface UnroutedErrors {
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
