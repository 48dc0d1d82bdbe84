import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachConcurrent, pause } from '@pets/async';
import type { EdgeRoute } from '@pets/contracts/edge-feed';
import { type FileStorage, type Logger, readStoredCertificate } from '@pets/platform';
import { z } from 'zod';
import type { DiskCache } from '../disk-cache/disk-cache.js';
import { FetchQueue } from '../fairness/fetch-queue.js';
import type { ApiClient } from '../feed/api-client.js';
import type { EdgeMetrics } from '../metrics/edge-metrics.js';
import type { EdgeConfig } from '../platform/config.js';
import { errorCode } from '../platform/error-code.js';
import { replaceFile } from '../store/durable-file.js';
import type { TableChange } from '../store/route-changes.js';
import { BACKGROUND, CertificateFetcher, SealedCertificates } from './certificate-fetcher.js';
import { configuredPlatformCertificate, PlatformCertificate } from './platform-certificate.js';
import { SecureContexts } from './secure-contexts.js';

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
      this.#renewals.addFetch('renewals', { to, host });
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

/** Certificates that are opened after a start; others are opened on first use. */
const MAX_HOSTS = 1_000;

/** Certificates that are fetched at the same time. */
const CONCURRENCY = 8;

/** Opening a certificate takes about a millisecond, so this leaves nine tenths of a processor to visitors. */
const PAUSE_MS = 10;

const SAVE_INTERVAL_MS = 60_000;

const warmSetSchema = z.array(z.string().max(253)).max(MAX_HOSTS);

interface WarmSetOptions {
  readonly folder: string;
  readonly contexts: Pick<SecureContexts, 'recentHosts' | 'warm'>;
  readonly find: (host: string) => EdgeRoute | undefined;
  readonly log: Logger;
}

/**
 * The hosts that visitors used most recently. They are saved once a minute, and their certificates are opened in the
 * background after a start, so that a restart does not slow down the next handshake of every host. This is only an
 * optimization: other certificates are opened on first use. All serving processes use one file; the last one to save wins,
 * since they serve the same hosts.
 */
class WarmSet {
  readonly #options: WarmSetOptions;
  readonly #path: string;
  readonly #stopping = new AbortController();
  #saved = '';
  #timer: NodeJS.Timeout | undefined;
  #warming: Promise<unknown> = Promise.resolve();

  constructor(options: WarmSetOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'warm.json');
  }

  /** Opens the certificates of the last run, and saves those of this one from time to time. */
  start(): void {
    this.#warming = this.#warmAll().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'certificates not opened in advance'),
    );
    this.#timer = setInterval(() => void this.#save(), SAVE_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#warming;
    await this.#save();
  }

  async #warmAll(): Promise<void> {
    const hosts = await this.#load();
    // The most recently used last, so that it stays longest.
    await forEachConcurrent(hosts.toReversed(), CONCURRENCY, (host) => this.#warm(host));
    this.#options.log.info({ certificates: hosts.length }, 'recently used certificates opened');
  }

  async #warm(host: string): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const certificateId = this.#options.find(host)?.certificateId;
    if (typeof certificateId !== 'string') return;
    await this.#options.contexts.warm(certificateId, host);
    await pause(PAUSE_MS * CONCURRENCY, this.#stopping.signal);
  }

  /** A damaged file counts as missing. */
  async #load(): Promise<readonly string[]> {
    try {
      return warmSetSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#options.log.warn({ err: error }, 'warm set cannot be read');
      return [];
    }
  }

  async #save(): Promise<void> {
    const text = JSON.stringify(this.#options.contexts.recentHosts(MAX_HOSTS));
    if (text === this.#saved || text === '[]') return;
    try {
      await replaceFile(this.#path, text, 'process');
      this.#saved = text;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'warm set write failed');
    }
  }
}
