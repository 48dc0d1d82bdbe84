import { z } from 'zod';
import { MAX_FIELD_ERRORS, MAX_FIELD_LENGTH, MAX_MESSAGE_LENGTH, type FieldErrors } from './field-errors.js';

/**
 * All error codes with their HTTP status. The set is closed: a client may switch over it. 400 is for syntax and schema errors;
 * 409 is for a conflict with the state of a resource.
 */
export const errorStatus = {
  invalid_request: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  malformed_json: 400,
  invalid_domain: 400,
  invalid_certificate: 400,
  invalid_private_key: 400,
  certificate_key_mismatch: 400,
  certificate_name_mismatch: 400,
  certificate_expired: 400,
  certificate_untrusted: 400,
  invalid_bundle: 400,
  invalid_import: 400,
  invalid_logo: 400,
  redirect_cycle: 400,
  name_reserved: 400,
  unauthenticated: 401,
  invalid_api_key: 401,
  forbidden: 403,
  suspended: 403,
  name_blocked: 403,
  plan_required: 403,
  domain_limit_reached: 403,
  webhook_limit_reached: 403,
  project_limit_reached: 403,
  channel_limit_reached: 403,
  origin_limit_reached: 403,
  api_key_limit_reached: 403,
  storage_limit_reached: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  already_exists: 409,
  domain_exists: 409,
  wildcard_needs_dns_challenge: 409,
  deployment_required: 409,
  deployment_collected: 409,
  upload_incomplete: 409,
  reverify_too_early: 409,
  automatic_certificate_missing: 409,
  keys_undecided: 409,
  idempotency_in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  rate_limited: 429,
  concurrency_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

const fieldErrorSchema = z
  .object({
    field: z
      .string()
      .max(MAX_FIELD_LENGTH)
      .describe('The path of the field, separated by dots: `domains.redirects.0.from`. Empty for the body itself.'),
    message: z.string().max(MAX_MESSAGE_LENGTH).describe('The problem of the field.'),
  })
  .meta({ id: 'FieldError', description: 'A field that is not valid.' });

/** The invalid fields of the request, if the error is about fields. */
const fieldErrors = z.array(fieldErrorSchema).min(1).max(MAX_FIELD_ERRORS).optional();

/** The body of every error response of the API. */
export const apiErrorSchema = z.object({
  /** Machine-readable, from the closed set. */
  code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
  /** For people; names the field and its problem. */
  message: z.string(),
  /** The HTTP status code. */
  status: z.int(),
  errors: fieldErrors.describe(
    `The fields that are not valid, at most ${MAX_FIELD_ERRORS}; \`message\` names the first. Absent if the error is not about fields.`,
  ),
});

export type ApiError = z.infer<typeof apiErrorSchema>;

/** Creates the error body of a code, with the status of the code. */
export function apiErrorOf(code: ErrorCode, message: string, errors?: FieldErrors): ApiError {
  return { code, message, status: errorStatus[code], ...(errors !== undefined && { errors: [...errors] }) };
}

/** Problem details (RFC 9457): the same error, for clients that ask for `application/problem+json`. */
export const problemDetailsSchema = z.object({
  /** `<PUBLIC_URL>/problems/<code>`: identifies the kind of problem, and is the URL of its page. */
  type: z.string(),
  /** The same for all problems of this kind. */
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: apiErrorSchema.shape.code,
  /** `/requests/<request id>`: identifies this occurrence in our logs. */
  instance: z.string(),
  errors: fieldErrors.describe('As in the `application/json` form.'),
});

export type ProblemDetails = z.infer<typeof problemDetailsSchema>;

/** Converts an error to problem details (RFC 9457). */
export function problemOf(
  { code, message, status, errors }: ApiError,
  { publicUrl, requestId }: { publicUrl: string; requestId: string },
): ProblemDetails {
  const words = code.replaceAll('_', ' ');
  return {
    type: `${publicUrl}/problems/${code}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status,
    detail: message,
    code,
    instance: `/requests/${requestId}`,
    ...(errors !== undefined && { errors }),
  };
}
