import { createPetsClient, type PetsClient } from '@pets/client';
import { fieldErrorText, type ErrorCode, type FieldError } from '@pets/contracts';
import { currentSession, endSession } from '../session/session.js';
import { strings } from '../strings.js';

const REQUEST_TIMEOUT_MS = 20_000;
/** For requests that send or return a file. */
export const TRANSFER_TIMEOUT_MS = 300_000;

/** A client with the key of the session. A 401 response ends the session, which leads back to the sign-in page. */
export function api({ timeoutMs = REQUEST_TIMEOUT_MS } = {}): PetsClient {
  return createPetsClient({
    baseUrl: location.origin,
    apiKey: currentSession()?.secret ?? '',
    fetch: async (request) => {
      const response = await fetchWithTimeout(request, timeoutMs);
      if (response.status === 401) endSession({ wasRefused: true });
      return response;
    },
  });
}

/** A client with an API key that the user has just entered, for requests that a session must not make. */
export function apiWithKey(apiKey: string): PetsClient {
  return createPetsClient({ baseUrl: location.origin, apiKey, fetch: (request) => fetchWithTimeout(request) });
}

interface ClientResult<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws ApiError unless the response is a success */
export async function resultOf<Data>(call: Promise<ClientResult<Data>>): Promise<{ data: Data; response: Response }> {
  const { data, error, response } = await call;
  if (!response.ok) throw parseApiError(response, error);
  // A response without a body has no data, and its callers do not use it.
  return { data: data as Data, response };
}

/** @throws ApiError unless the response is a success */
export async function dataOf<Data>(call: Promise<ClientResult<Data>>): Promise<Data> {
  return (await resultOf(call)).data;
}

async function fetchWithTimeout(request: Request, timeoutMs = REQUEST_TIMEOUT_MS): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, timeout]), credentials: 'omit' });
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new ApiError('network', strings.failures.network, { status: null });
  }
}

interface ApiErrorDetails {
  /** Null when there was no response. */
  readonly status: number | null;
  /** From the `Retry-After` header. */
  readonly retryAfterSeconds?: number | null;
  /** One sentence for each invalid field. The message is the first of them. */
  readonly fieldErrors?: readonly string[];
}

/** The API refused a request, or did not respond (`network`). */
export class ApiError extends Error {
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly fieldErrors: readonly string[];

  constructor(
    readonly code: ErrorCode | 'network',
    message: string,
    { status, retryAfterSeconds = null, fieldErrors = [] }: ApiErrorDetails,
  ) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.fieldErrors = fieldErrors;
  }
}

/** Whether the same request may succeed when it is retried. */
export function isTransient(error: unknown): boolean {
  return error instanceof ApiError && (error.status === null || error.status >= 500);
}

interface ApiErrorBody {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FieldError[];
}

function parseApiError(response: Response, body: unknown): ApiError {
  const { status, headers } = response;
  // A proxy responds with a body of another shape.
  if (!isApiErrorBody(body)) return new ApiError('internal', strings.failures.unexpectedStatus(status), { status });
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  // An API of another version may send a code that this build does not know. Its message is shown all the same.
  return new ApiError(body.code as ErrorCode, body.message, {
    status,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
    fieldErrors: (body.errors ?? []).map(fieldErrorText),
  });
}

function isApiErrorBody(body: unknown): body is ApiErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}
