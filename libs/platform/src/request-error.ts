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
 * A refused request: an expected outcome that the caller is told about, never a bug. Thrown anywhere below a
 * controller and mapped to HTTP in one place.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Response headers that belong to the refusal, such as `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The fields at fault, where it is fields. The message names the first. */
    readonly errors?: FieldErrors,
  ) {
    super(message);
  }

  /** A refusal for what is in fields of the request. */
  static ofFields(code: ErrorCode, errors: FieldErrors): RequestError {
    const [first, ...others] = errors;
    return new RequestError(code, fieldErrorText(first), {}, [first, ...others.slice(0, MAX_FIELD_ERRORS - 1)]);
  }

  /** A refusal for what is in one field. */
  static ofField(code: ErrorCode, field: string, message: string): RequestError {
    return RequestError.ofFields(code, [fieldError(field, message)]);
  }

  /** The body the client sees. */
  toApiError(): ApiError {
    return apiErrorOf(this.code, this.message, this.errors);
  }
}
