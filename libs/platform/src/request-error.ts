import {
  apiErrorOf,
  fieldError,
  fieldErrorText,
  MAX_FIELD_ERRORS,
  type ApiError,
  type ErrorCode,
  type FieldErrors,
} from '@pets/contracts';

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
