import { setting } from '@pets/platform';
import { z } from 'zod';

/** For how many days rows are kept: docs/retention.md. */
export const retentionSettings = {
  /** Days for which audit events are kept: [Retention](docs/retention.md). */
  AUDIT_RETENTION_DAYS: setting.integer().pipe(z.number().min(1)).default(400),
  /**
   * Days for which certificates are kept after their expiry, and attempts without one; longer than the windows of
   * `ACME_LIMITS`.
   */
  RETENTION_CERTIFICATES: setting.integer().pipe(z.int().min(8).max(3_650)).default(30),
  /** Days for which a removed domain can be read. */
  RETENTION_REMOVED_DOMAINS: setting.integer().pipe(z.int().min(30).max(3_650)).default(180),
  /** Days for which an organization keeps the claim to a name, and its tokens, after the last row of the domain. */
  RETENTION_CLAIMS: setting.integer().pipe(z.int().min(30).max(3_650)).default(400),
  /** Days for which the history of domains is kept, and up to a quarter longer. */
  RETENTION_EVENTS: setting.integer().pipe(z.int().min(32).max(3_650)).default(400),
  /** Days for which webhook deliveries can be read and replayed; their retries take three. */
  RETENTION_DELIVERIES: setting.integer().pipe(z.int().min(4).max(3_650)).default(30),
};
