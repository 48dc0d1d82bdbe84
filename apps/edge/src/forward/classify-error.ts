import { errorCode } from '../platform/error-code.js';
import { OriginError } from './origin-error.js';

/** Translates an error of the HTTP client. @returns `bad_request` when the visitor sent what cannot be forwarded */
export function classifyError(error: unknown): OriginError | 'bad_request' {
  if (error instanceof OriginError) return error;
  const code = errorCode(error);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return 'bad_request';
  const message = error instanceof Error ? error.message : String(error);
  if (wasClosed(error)) return new OriginError('invalid_answer', `the application closed the connection: ${message}`);
  return new OriginError('invalid_answer', message);
}

export interface SentRequest {
  readonly method: string;
  /** Whether the connection was asked to send it. */
  readonly isSent: boolean;
  /** Whether a byte of an answer has come. */
  readonly hasAnswerBegun: boolean;
  /** Whether the connection had carried another request before. */
  readonly isReused: boolean;
  readonly hasBody: boolean;
  readonly isBodyUnread: boolean;
}

/** RFC 9110 §9.2.2. */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Whether a request that failed may be sent again. One that was not sent always may. One that was sent may if the application
 * cannot have meant it: its idle connection was closed just when the request came, and to process it twice has the same effect.
 */
export function mayRepeat(error: unknown, request: SentRequest): boolean {
  if (error instanceof OriginError || errorCode(error) === 'UND_ERR_INVALID_ARG') return false;
  if (!request.isSent) return request.isBodyUnread;
  if (request.hasAnswerBegun || !request.isReused || request.hasBody) return false;
  return idempotent.has(request.method) && wasClosed(error);
}

const closings = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

function wasClosed(error: unknown): boolean {
  return closings.has(errorCode(error));
}
