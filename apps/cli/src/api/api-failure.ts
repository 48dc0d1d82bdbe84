import { errorStatus, type ErrorCode } from '@pets/contracts';
import type { OutcomeStatus } from '../outcome/exit-codes.js';
import { CommandFailure, report } from '../outcome/outcome.js';

/** Codes that end a command otherwise than their HTTP status alone would tell. */
const exceptions: Partial<Record<string, OutcomeStatus>> = {
  invalid_request: 'usage',
  invalid_parameter: 'usage',
  invalid_cursor: 'usage',
  // These are about the plan, not about the key.
  plan_required: 'refused',
  domain_limit_reached: 'refused',
  project_limit_reached: 'refused',
  api_key_limit_reached: 'refused',
  storage_limit_reached: 'refused',
  reverify_too_early: 'not_yet',
  idempotency_in_progress: 'not_yet',
} satisfies Partial<Record<ErrorCode, OutcomeStatus>>;

/** How a command ends that was answered with an error. */
export function statusOfError(code: string, httpStatus: number): OutcomeStatus {
  const exception = exceptions[code];
  if (exception !== undefined) return exception;
  if (httpStatus === errorStatus.unauthenticated || httpStatus === errorStatus.forbidden) return 'unauthorized';
  if (httpStatus === errorStatus.rate_limited) return 'not_yet';
  return httpStatus >= 500 || httpStatus === errorStatus.timeout ? 'unavailable' : 'refused';
}

/** The API has answered with an error. */
export class ApiFailure extends CommandFailure {
  constructor(
    readonly code: string,
    message: string,
    httpStatus: number,
    retryAfter: string | null,
  ) {
    const again = retryAfter === null ? '' : ` Retry in ${retryAfter} s.`;
    super(report(statusOfError(code, httpStatus), code, `${message}${again}`));
  }
}

/** No usable answer came. */
export class Unreachable extends CommandFailure {
  constructor(apiUrl: string, detail: string) {
    super(report('unavailable', 'api_unreachable', `Could not get a response from the API at ${apiUrl}: ${detail}.`));
  }
}
