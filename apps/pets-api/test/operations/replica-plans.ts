import { parseCaLimits } from '@pets/domains';
import { parseKeyRing } from '@pets/platform';
import type { Database } from '@pets/persistence';
import { CaPausesRepository } from '../../src/certificates/ca-pauses.repository.js';
import { CaSelectionLoader } from '../../src/certificates/ca-selection-loader.js';
import { CaUsageRepository } from '../../src/certificates/ca-usage.repository.js';
import { CertificateAttemptsRepository } from '../../src/certificates/certificate-attempts.repository.js';
import { CertificateAuthorities } from '../../src/certificates/certificate-authorities.js';
import { CertificatesRepository } from '../../src/certificates/certificates.repository.js';
import { IssuancePlans } from '../../src/certificates/issuance-plans.service.js';
import { LimitedDomainsRepository } from '../../src/certificates/limited-domains.repository.js';
import { OrderLines } from '../../src/certificates/order-lines.js';
import { OrderQueueRepository } from '../../src/certificates/order-queue.repository.js';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';

export interface ReplicaSettings {
  readonly ACME_DIRECTORY_URLS: string;
  readonly ACME_LIMITS?: string;
}

/** Plans of another replica, without its background tasks. */
export function plansOfReplica(
  db: Database,
  { ACME_DIRECTORY_URLS, ACME_LIMITS }: ReplicaSettings,
): { readonly plans: IssuancePlans; readonly lines: OrderLines } {
  const config = {
    ACME_DIRECTORY_URLS: ACME_DIRECTORY_URLS.split(','),
    ACME_LIMITS: ACME_LIMITS === undefined ? new Map() : parseCaLimits(ACME_LIMITS),
    CERTIFICATE_KEKS: parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`),
  };
  const attempts = new CertificateAttemptsRepository(db);
  const usage = new CaUsageRepository();
  const queue = new OrderQueueRepository();
  const pauses = new CaPausesRepository();
  const cas = new CertificateAuthorities(config);
  const lines = new OrderLines(cas, usage, queue, pauses);
  const certificates = new CertificatesRepository(db);
  const feed = new EdgeFeedRepository(db);
  const selections = new CaSelectionLoader(cas, attempts, usage, certificates, lines, pauses, feed);
  return {
    plans: new IssuancePlans(db, config, cas, attempts, selections, queue, new LimitedDomainsRepository()),
    lines,
  };
}
