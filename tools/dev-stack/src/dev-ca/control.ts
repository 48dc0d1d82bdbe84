import { z } from 'zod';
import { Problem } from './problem.js';
import type { CaDelays } from './acme-context.js';

/** A day: a longer delay is a mistake. */
const MAX_SECONDS = 86_400;
const seconds = z.number().min(0).max(MAX_SECONDS).default(0);

const delaysSchema = z.strictObject({
  /** Finalizing answers `processing` for so long. */
  finalize: seconds,
  /** A challenge is looked at so long after the client has answered it. */
  validate: seconds,
  /** `Retry-After` while something is not finished; 0 sends none. */
  retryAfter: z.int().min(0).max(MAX_SECONDS).default(0),
});

/**
 * The control of a running CA: `PUT /control/delays` with seconds, such as `{"finalize": 70, "retryAfter": 10}`; what is left
 * out is 0. `GET /control/delays` reads them, and `GET /control/orders?name=` the orders of a name.
 * @throws Problem when the body is invalid
 */
export function parseDelays(text: string | undefined): CaDelays {
  try {
    return delaysSchema.parse(JSON.parse(text ?? ''));
  } catch (error) {
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : 'the body is not JSON';
    throw new Problem('malformed', detail);
  }
}
