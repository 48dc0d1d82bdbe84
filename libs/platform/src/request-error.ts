import {
  apiErrorOf,
  fieldError,
  fieldErrorText,
  MAX_FIELD_ERRORS,
  type ApiError,
  type ErrorCode,
  type FieldErrors,
} from '@pets/contracts/errors';

/**
 * A refused request: an expected outcome that the caller sees, never a bug. Any code below a controller can throw it; one
 * filter maps it to HTTP.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Response headers, such as `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The invalid fields, if fields are the reason. The message names the first. */
    readonly errors?: FieldErrors,
  ) {
    super(message);
  }

  /** A refusal because of the values of fields. */
  static ofFields(code: ErrorCode, errors: FieldErrors): RequestError {
    const [first, ...others] = errors;
    return new RequestError(code, fieldErrorText(first), {}, [first, ...others.slice(0, MAX_FIELD_ERRORS - 1)]);
  }

  /** A refusal because of the value of one field. */
  static ofField(code: ErrorCode, field: string, message: string): RequestError {
    return RequestError.ofFields(code, [fieldError(field, message)]);
  }

  /** A refusal because the organization has too much under way in this replica. */
  static ofConcurrency(): RequestError {
    const message = 'The organization has too many requests under way. Try again in a second.';
    return new RequestError('concurrency_limited', message, { 'retry-after': '1' });
  }

  /** The body the client sees. */
  toApiError(): ApiError {
    return apiErrorOf(this.code, this.message, this.errors);
  }
}

/**
 * A system that we depend on cannot be reached, or cannot serve now: the caller may try again, and our code is not at
 * fault. Adapters throw it, so that other code does not depend on the errors of a driver.
 */
export class DependencyUnavailable extends Error {
  override readonly name = 'DependencyUnavailable';

  /** @param dependency for the log: `PostgreSQL` */
  constructor(dependency: string, cause: unknown) {
    super(`${dependency} is unavailable: ${reasonOf(cause)}`, { cause });
  }
}

/** An attempt to connect to several addresses fails with an error that has a code and no message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
