import { fieldErrorText, type ErrorCode, type FieldError } from '@pets/contracts';
import { strings } from '../strings.js';

/** What the API answers when it refuses: its one shape. */
interface ApiErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly errors?: readonly FieldError[];
}

/** A request that did not come to what it was for: refused by the API, or never answered (`network`). */
export class ApiFailure extends Error {
  constructor(
    readonly code: ErrorCode | 'network',
    message: string,
    readonly status: number | null,
    /** When the API says that asking again may help. */
    readonly retryAfterSeconds: number | null = null,
    /** A sentence for each field at fault; the message is the first of them. */
    readonly faults: readonly string[] = [],
  ) {
    super(message);
  }
}

/** Whether the same request may succeed when it is sent again. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === null || error.status >= 500);
}

/** Reads a refusal. An answer that is none of the API's (a proxy's page) has only its status to tell. */
export function failureOf(response: Response, body: unknown): ApiFailure {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  if (!isApiError(body))
    return new ApiFailure('internal', strings.failures.unexpectedStatus(response.status), response.status);
  // The codes are a closed set of the API that serves this page: a build of another version may lack one, and shows its message.
  const faults = (body.errors ?? []).map(fieldErrorText);
  return new ApiFailure(body.code as ErrorCode, body.message, response.status, retryAfterSeconds, faults);
}

function isApiError(body: unknown): body is ApiErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}
