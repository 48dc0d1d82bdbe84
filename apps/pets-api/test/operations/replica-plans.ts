import { parseCaAccounts, parseCaLimits } from '@pets/domains';
import { parseKeyRing } from '@pets/platform';
import type { Database } from '@pets/persistence';
import { CaPausesRepository } from '../../src/certificates/ca-pauses.repository.js';
import { CaSelections } from '../../src/certificates/ca-selections.js';
import { CaUsageRepository } from '../../src/certificates/ca-usage.repository.js';
import { CertificateAttemptsRepository } from '../../src/certificates/certificate-attempts.repository.js';
import { CertificatesRepository } from '../../src/certificates/certificates.repository.js';
import { IssuancePlans } from '../../src/certificates/issuance-plans.service.js';
import { OrderAccounts } from '../../src/certificates/order-accounts.js';
import { OrderQueueRepository } from '../../src/certificates/order-queue.repository.js';
import { ParkedOrdersRepository } from '../../src/certificates/parked-orders.repository.js';
import { UsableAccounts } from '../../src/certificates/usable-accounts.js';

export interface ReplicaSettings {
  readonly ACME_DIRECTORY_URLS: string;
  readonly ACME_LIMITS?: string;
  readonly ACME_ACCOUNTS?: string;
}

/** Plans of another replica, without its background tasks. Named accounts are not usable there. */
export function plansOfReplica(
  db: Database,
  { ACME_DIRECTORY_URLS, ACME_LIMITS, ACME_ACCOUNTS }: ReplicaSettings,
): { readonly plans: IssuancePlans; readonly accounts: OrderAccounts } {
  const config = {
    ACME_DIRECTORY_URLS: ACME_DIRECTORY_URLS.split(','),
    ACME_LIMITS: ACME_LIMITS === undefined ? new Map() : parseCaLimits(ACME_LIMITS),
    ACME_ACCOUNTS: ACME_ACCOUNTS === undefined ? [] : parseCaAccounts(ACME_ACCOUNTS),
    CERTIFICATE_KEKS: parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`),
  };
  const attempts = new CertificateAttemptsRepository(db);
  const usage = new CaUsageRepository();
  const queue = new OrderQueueRepository();
  const pauses = new CaPausesRepository();
  const unexpected = () => Promise.reject(new Error('not expected'));
  const usable = new UsableAccounts(config, db, { countWorkers: unexpected });
  const accounts = new OrderAccounts(usable, usage, queue, pauses);
  const selections = new CaSelections(usable, attempts, usage, new CertificatesRepository(db), accounts, pauses);
  return {
    plans: new IssuancePlans(db, config, usable, attempts, selections, queue, new ParkedOrdersRepository()),
    accounts,
  };
}
