import { createPetsClient, type PetsClient } from '@pets/client';
import { CSRF_HEADER, type ErrorCode, type FieldError } from '@pets/contracts';
import { localizeTimes } from '@pets/domain-setup';
import { createExternalStore } from '../external-store.js';
import { currentSession, sessionRefused } from '../session/session.js';
import { strings } from '../strings.js';

const REQUEST_TIMEOUT_MS = 20_000;
/** For requests that send or return a file. */
export const TRANSFER_TIMEOUT_MS = 300_000;

/** A client with the session of this browser. A 401 response ends it, which leads back to the sign-in page. */
export function api({ timeoutMs = REQUEST_TIMEOUT_MS } = {}): PetsClient {
  const session = currentSession();
  return createPetsClient({
    baseUrl: location.origin,
    apiKey: null,
    fetch: async (request) => {
      const response = await fetchWithCookie(request, timeoutMs);
      if (response.status === 401) sessionRefused(session);
      return response;
    },
  });
}

/** A client with an API key that the user has just entered, for requests that a session must not make. */
export function apiWithKey(apiKey: string): PetsClient {
  return createPetsClient({
    baseUrl: location.origin,
    apiKey,
    fetch: (request) => fetchWithTimeout(request, { credentials: 'omit' }),
  });
}

/** A request to a path of the dashboard itself, which the description of the API lacks. @throws ApiError */
export async function callDashboard<Data>(path: string, init: RequestInit = {}): Promise<Data> {
  const response = await fetchWithCookie(new Request(`/dashboard/${path}`, init));
  const text = await response.text();
  const body: unknown = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : null;
  if (!response.ok) throw parseApiError(response, body);
  return body as Data; // as the API answers
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

function fetchWithCookie(request: Request, timeoutMs?: number): Promise<Response> {
  request.headers.set(CSRF_HEADER, '1');
  return fetchWithTimeout(request, { timeoutMs, credentials: 'same-origin' });
}

interface FetchOptions {
  readonly timeoutMs?: number | undefined;
  readonly credentials: RequestCredentials;
}

async function fetchWithTimeout(request: Request, options: FetchOptions): Promise<Response> {
  const { timeoutMs = REQUEST_TIMEOUT_MS, credentials } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, timeout]), credentials });
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
  return new ApiError(body.code as ErrorCode, localizeTimes(body.message), {
    status,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
    fieldErrors: (body.errors ?? []).map((error) => ({ ...error, message: localizeTimes(error.message) })),
  });
}

function isApiErrorBody(body: unknown): body is ApiErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}
