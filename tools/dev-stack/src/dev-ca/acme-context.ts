import type { CertificateAuthority } from './authority.js';
import type { Http01Options } from './http01.js';
import type { AcmeStore } from './orders.js';

/** Options that make the CA behave as others do. */
export type CaBehaviour = {
  /** Finalizing answers `processing`, and the certificate is issued this much later; without it the answer is the valid order. */
  readonly finalizeDelayMs?: number;
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
  readonly clock: () => Date;
};

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
};
