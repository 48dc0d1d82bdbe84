import type { OriginFailure } from '@pets/contracts';
import type { PageName } from '../http/page-texts.js';

const MAX_DETAIL = 300;

/** The reason why an application did not answer a request, in the words of the contract. */
export class OriginError extends Error {
  override readonly name = 'OriginError';

  constructor(
    readonly failure: OriginFailure,
    detail: string,
  ) {
    super(detail.slice(0, MAX_DETAIL));
  }
}

/** Reasons why no connection can be opened at all. Slow or wrong answers are none: the application is reached. */
const unreachable: ReadonlySet<OriginFailure> = new Set(['dns', 'address_not_allowed', 'connection', 'certificate']);

export function isUnreachable(error: unknown): error is OriginError {
  return error instanceof OriginError && unreachable.has(error.failure);
}

/** The page that visitors see for each failure. */
export const pageOfFailure = {
  dns: 'origin_unreachable',
  connection: 'origin_unreachable',
  address_not_allowed: 'origin_not_allowed',
  certificate: 'origin_certificate',
  timeout: 'origin_timeout',
  invalid_answer: 'origin_invalid_answer',
  limit: 'origin_limit',
  loop: 'origin_loop',
} as const satisfies Record<OriginFailure, PageName>;
