import type { CertificateAuthority } from './authority.js';
import type { Http01Options } from './http01.js';
import type { AcmeStore } from './orders.js';

/** How slow the CA is, in seconds; 0 is at once. `control.ts` describes each. */
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
