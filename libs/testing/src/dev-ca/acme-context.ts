import { z } from 'zod';
import type { CertificateAuthority } from './authority.js';
import type { AcmeStore } from './orders.js';
import { Problem } from './problem.js';
import type { Http01Options } from './validation.js';

/** How slow the CA is, in seconds; 0 is at once. `delaysSchema` describes each. */
export type CaDelays = { readonly finalize: number; readonly validate: number; readonly retryAfter: number };

/** Options that make the CA behave as others do. */
export type CaBehaviour = {
  /** Issues without checking CAA records, as no real CA may. */
  readonly ignoresCaa?: boolean;
};

/** Everything that an operation needs. */
export type AcmeContext = {
  readonly baseUrl: string;
  readonly store: AcmeStore;
  readonly authority: CertificateAuthority;
  readonly validation: Http01Options;
  readonly behaviour: CaBehaviour;
  /** Changes while the CA runs. */
  delays: CaDelays;
  readonly clock: () => Date;
};

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
};

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
