import type { Setup, SetupDomain } from '@pets/contracts';

/** A domain as the element shows it: that of a set-up link, and what only members know of it. */
export interface ShownDomain extends SetupDomain {
  /** When its first certificate was issued; absent where that is unknown. */
  readonly certificateIssuedAt?: string;
}

/** A set-up as the element shows it; without a link it does not end. */
export interface ShownSetup extends Omit<Setup, 'domains' | 'expiresAt'> {
  readonly domains: readonly ShownDomain[];
  readonly expiresAt: string | null;
}
