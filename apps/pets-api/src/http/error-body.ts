import { problemOf, type ApiError, type ProblemDetails } from '@pets/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsProblemDetails } from './negotiation.js';

export interface ErrorBody {
  readonly contentType: string;
  readonly body: ApiError | ProblemDetails;
}

/** The one error shape, or problem details (RFC 9457) for a client that asks for them. */
export function renderError(
  error: ApiError,
  { accept, requestId, publicUrl }: { accept: string | undefined; requestId: string; publicUrl: string },
): ErrorBody {
  if (!wantsProblemDetails(accept)) return { contentType: 'application/json; charset=utf-8', body: error };
  return { contentType: 'application/problem+json', body: problemOf(error, { publicUrl, requestId }) };
}

/**
 * A `preSerialization` hook: whoever sends an error sends the one shape, and what the client asked for is settled
 * here, once.
 */
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
