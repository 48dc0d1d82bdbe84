import { createPetsClient, type PetsClient } from '@pets/client';
import type { ErrorCode, FieldError } from '@pets/contracts';
import { createExternalStore } from '../external-store.js';
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
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, timeout]), credentials: 'omit' });
    reachable.set(!isUnavailable(response.status));
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    reachable.set(false);
    throw new ApiError('network', strings.failures.network, { status: null });
  }
}

/** Whether the API answered the last request. */
const reachable = createExternalStore(true);

export const useIsReachable = reachable.useValue;

/** A proxy answers with these when the API does not. */
function isUnavailable(status: number | null): boolean {
  return status === null || (status >= 502 && status <= 504);
}

/** Whether the request failed because the API was not available. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && isUnavailable(error.status);
}

interface ApiErrorDetails {
  /** Null when there was no response. */
  readonly status: number | null;
  /** From the `Retry-After` header. */
  readonly retryAfterSeconds?: number | null;
  /** The invalid fields, as the API calls them. The message is about the first. */
  readonly fieldErrors?: readonly FieldError[];
}

/** The API refused a request, or did not respond (`network`). */
export class ApiError extends Error {
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly fieldErrors: readonly FieldError[];

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

/** Whether the path of the request names nothing: an unknown id, or a text that is none. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 'invalid_parameter');
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
    fieldErrors: body.errors ?? [],
  });
}

function isApiErrorBody(body: unknown): body is ApiErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}
