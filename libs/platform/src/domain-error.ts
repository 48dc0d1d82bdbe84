import { apiErrorOf, type ApiError, type ErrorCode } from '@pets/contracts';

/**
 * A refused request: an expected outcome that the caller is told about, never a bug. Thrown anywhere below a
 * controller and mapped to HTTP in one place.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Response headers that belong to the refusal, such as `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  /** The body the client sees. */
  toApiError(): ApiError {
    return apiErrorOf(this.code, this.message);
  }
}
