import { readStoredCertificate, type FileStorage, type Logger } from '@pets/platform';
import type { EdgeRoute } from '@pets/contracts';
import type { DiskCache } from '../disk-cache/disk-cache.js';
import { FetchQueue } from '../fairness/fetch-queue.js';
import type { ApiClient } from '../feed/api-client.js';
import type { EdgeMetrics } from '../metrics/edge-metrics.js';
import type { EdgeConfig } from '../platform/config.js';
import type { TableChange } from '../store/route-changes.js';
import { BACKGROUND, CertificateFetcher, SealedCertificates } from './certificate-fetcher.js';
import { configuredPlatformCertificate, PlatformCertificate } from './platform-certificate.js';
import { SecureContexts } from './secure-contexts.js';
import { WarmSet } from './warm-set.js';

/** Renewed certificates that are fetched at the same time, and that wait; the first handshake fetches others. */
const renewalLimits = { running: 8, runningPerRequester: 8, waiting: 10_000, waitingPerRequester: 10_000 } as const;

export interface CertificateDeps {
  readonly api: Pick<ApiClient, 'fetchCertificate'>;
  readonly storage: FileStorage;
  readonly disk: DiskCache;
  readonly find: (host: string) => EdgeRoute | undefined;
  readonly metrics: EdgeMetrics;
  /** How many processes share the memory for open certificates. */
  readonly servingProcesses: number;
  readonly now: () => number;
  readonly log: Logger;
}

interface Renewal {
  readonly to: string;
  /** The host of the last handshake with the certificate of before, when that is open. */
  readonly host: string | undefined;
}

/**
 * The certificates of a serving process. A handshake takes an open certificate from memory; else it is opened from the disk,
 * else fetched from the file storage, else from the API, and kept on disk. Nothing is fetched for names that nobody visits.
 */
export class Certificates {
  readonly contexts: SecureContexts;
  readonly platform: PlatformCertificate;
  readonly #sealed: SealedCertificates;
  readonly #warmSet: WarmSet;
  readonly #renewals: FetchQueue<Renewal>;
  readonly #log: Logger;

  constructor(config: EdgeConfig, deps: CertificateDeps) {
    const { api, storage, disk, find, metrics, servingProcesses, now, log } = deps;
    const origins = {
      storage: (id: string, signal: AbortSignal) => readStoredCertificate(storage, id, signal),
      api: (id: string) => api.fetchCertificate(id),
    };
    const fetcher = new CertificateFetcher({
      origins,
      now,
      log,
      onFetch: (origin, result) => metrics.certificateFetched(origin, result),
    });
    const configured = configuredPlatformCertificate(config);
    this.#log = log;
    this.#sealed = new SealedCertificates({ disk, fetcher, now, log });
    this.contexts = new SecureContexts({
      platform: configured,
      sealed: this.#sealed,
      keyRing: config.CERTIFICATE_KEKS,
      maxBytes: Math.floor(config.EDGE_CONTEXT_CACHE_BYTES / servingProcesses),
      log,
      onLookUp: (result) => metrics.certificateLookUp(result),
    });
    this.platform = new PlatformCertificate({
      configured,
      contexts: this.contexts,
      sealed: this.#sealed,
      platformDomain: config.PLATFORM_DOMAIN,
      log,
    });
    this.#warmSet = new WarmSet({ folder: config.EDGE_DATA_DIR, contexts: this.contexts, find, log });
    this.#renewals = new FetchQueue(renewalLimits, (renewal) => this.#renew(renewal));
  }

  /** Begins to open the certificates that visitors used before the restart. */
  start(): void {
    this.#warmSet.start();
  }

  async stop(): Promise<void> {
    this.platform.stop();
    await this.#warmSet.stop();
  }

  /** Fetches the successors of certificates that this edge has, and forgets those that no route names any more. */
  changed({ renewals, droppedCertificates }: Pick<TableChange, 'renewals' | 'droppedCertificates'>): void {
    for (const renewal of renewals) this.#addRenewal(renewal); // before the certificate of before is dropped
    this.contexts.drop(droppedCertificates);
    this.#sealed.drop(droppedCertificates);
  }

  #addRenewal({ from, to }: TableChange['renewals'][number]): void {
    const host = this.contexts.hostOf(from);
    if (host === undefined && !this.#sealed.has(from)) return;
    try {
      this.#renewals.add('renewals', { to, host });
    } catch (error) {
      this.#log.warn({ err: error, id: to }, 'renewed certificate is fetched at its first use');
    }
  }

  async #renew({ to, host }: Renewal): Promise<void> {
    if (host !== undefined) return this.contexts.warm(to, host);
    await this.#sealed.load(to, BACKGROUND).catch((error: unknown) => {
      this.#log.warn({ err: error, id: to }, 'renewed certificate not fetched');
    });
  }
}
