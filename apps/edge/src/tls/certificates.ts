import { join } from 'node:path';
import type { Logger } from '@pets/platform';
import type { EdgeConfig } from '../config.js';
import type { EdgeMetrics } from '../metrics/edge-metrics.js';
import type { ApiClient } from '../routing/api-client.js';
import type { CertificateStock } from '../routing/replica.js';
import type { RouteTable } from '../routing/route-table.js';
import { SealedCertificates } from './sealed-certificates.js';
import { SecureContexts } from './secure-contexts.js';
import { WarmSet } from './warm-set.js';

/** The certificates of an edge: sealed on disk, open in memory, and the list of those to open first after a start. */
export interface Certificates {
  readonly sealed: SealedCertificates;
  readonly contexts: SecureContexts;
  readonly warmSet: WarmSet;
  readonly stock: CertificateStock;
}

export interface CertificateDeps {
  readonly api: ApiClient;
  readonly table: RouteTable;
  readonly metrics: EdgeMetrics;
  readonly now: () => number;
  readonly log: Logger;
}

export async function openCertificates(config: EdgeConfig, deps: CertificateDeps): Promise<Certificates> {
  const { api, table, metrics, now, log } = deps;
  const sealed = new SealedCertificates(
    join(config.EDGE_DATA_DIR, 'certificates'),
    (id) => api.fetchCertificate(id),
    (id) => table.namesCertificate(id),
    now,
    log,
  );
  await sealed.open();
  const platform = { cert: config.PLATFORM_CERTIFICATE, key: config.PLATFORM_KEY };
  const contexts = new SecureContexts(platform, sealed, config.CERTIFICATE_KEKS, log, (result) =>
    metrics.certificateLookUp(result),
  );
  const warmSet = new WarmSet(config.EDGE_DATA_DIR, contexts, log);
  return { sealed, contexts, warmSet, stock: stockOf(sealed, contexts) };
}

/** Drops a certificate that no route names any more from memory and from disk. */
function stockOf(sealed: SealedCertificates, contexts: SecureContexts): CertificateStock {
  return {
    prefetch: (ids) => sealed.prefetch(ids),
    retryMissing: () => sealed.retryMissing(),
    sweep: () => sealed.sweep(),
    drop: (ids) => {
      contexts.drop(ids);
      sealed.drop(ids);
    },
  };
}
