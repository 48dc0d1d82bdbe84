import type pg from 'pg';
import type { CertificateFixture } from '../certificates/certificate-fixture.js';

/** An organization of the operator's, with a key of full scopes. Its limits are those of its plan. */
export interface Tenant {
  readonly organizationId: string;
  readonly apiKey: string;
}

/** A complete stack: PostgreSQL, Redis, one pets-api, one worker, one edge, a CA and DNS whose records can be set. */
export interface FairFixture {
  readonly apiUrl: string;
  readonly db: pg.Client;
  readonly certificates: CertificateFixture;
  readonly createTenant: (plan: 'free' | 'pro' | 'enterprise') => Tenant;
}

/**
 * What another tenant does meanwhile: a `request` is a list of its projects, `live` a domain from its click until it is live,
 * `checked` a domain from its click until the result of the check is stored, `delivery` a webhook from its cause to its receiver.
 */
export type Victim = 'request' | 'live' | 'checked' | 'delivery';

/** What one tenant, or some together, may do with ordinary keys. */
export interface Attack {
  /** Of its figures: `fair/NAME/…`. */
  readonly name: string;
  readonly victim: Victim;
  /** Creates what it needs, once. */
  prepare(fixture: FairFixture): Promise<RunningAttack>;
}

interface RunningAttack {
  /** Attacks until the signal aborts, and resolves when nothing of it is under way. Called once for each round. */
  run(signal: AbortSignal): Promise<void>;
  /** Stops what `prepare` has started. */
  close?(): Promise<void>;
}
