import type { CertificateAuthority } from './authority.js';
import type { CaBehaviour } from './behaviour.js';
import type { Http01Options } from './http01.js';
import type { AcmeStore } from './orders.js';

/** What an operation works with. */
export type AcmeContext = {
  readonly baseUrl: string;
  readonly store: AcmeStore;
  readonly authority: CertificateAuthority;
  readonly validation: Http01Options;
  readonly behaviour: CaBehaviour;
  readonly clock: () => Date;
};

/** What is sent. */
export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
};
