import { sealedCertificateSchema, type SealedCertificate } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { DiskCache } from '../disk-cache/disk-cache.js';
import type { CertificateFetcher } from './certificate-fetcher.js';

/** A fresh copy that could not be opened either is not fetched again for this long, however many handshakes ask for it. */
const RELOAD_PAUSE_MS = 30_000;
const MAX_RELOADS = 10_000;

export interface SealedCertificatesOptions {
  readonly disk: DiskCache;
  readonly fetcher: Pick<CertificateFetcher, 'fetch'>;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Sealed certificates, from the disk or from afar when a visitor asks for them. A copy on disk is useless without the
 * key-encryption keys; unsealing is up to `SecureContexts`. An id always means the same certificate, so a copy never becomes
 * outdated; only its key may be sealed again.
 */
export class SealedCertificates {
  readonly #options: SealedCertificatesOptions;
  readonly #reloads: LRUCache<string, true>;

  constructor(options: SealedCertificatesOptions) {
    this.#options = options;
    this.#reloads = new LRUCache({ max: MAX_RELOADS, ttl: RELOAD_PAUSE_MS, ttlResolution: 0, perf: options });
  }

  /** Whether it is on disk. */
  has(id: string): boolean {
    return this.#options.disk.has(id);
  }

  /**
   * From disk, else from the storage or the API.
   * @param requester limits how many fetches run for one visitor (`CertificateFetcher`)
   * @throws Error when it can be had from none of them
   */
  async load(id: string, requester: string): Promise<SealedCertificate> {
    const stored = this.#read(id);
    if (stored !== undefined) return stored;
    return this.#keep((await this.#options.fetcher.fetch(id, requester)).sealed);
  }

  /**
   * Gets another copy of one that cannot be opened: its key is sealed with a key-encryption key that this edge does not have,
   * and may be sealed with another one by now. The copy on disk stays until then.
   * @throws Error when there is none, or one was fetched a moment ago
   */
  async reload(unusable: SealedCertificate, requester: string): Promise<SealedCertificate> {
    const { id, sealedKey } = unusable;
    const { fetcher, log } = this.#options;
    if (this.#reloads.has(id)) throw new Error(`certificate ${id} was fetched again less than 30 s ago`);
    log.warn({ id }, 'stored certificate cannot be opened; fetching it again');
    let fetched = await fetcher.fetch(id, requester);
    const isSame = fetched.origin === 'storage' && fetched.sealed.sealedKey === sealedKey;
    if (isSame) fetched = await fetcher.fetch(id, requester, true);
    this.#reloads.set(id, true);
    return this.#keep(fetched.sealed);
  }

  /** Deletes copies of certificates that no route names any more. */
  drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#reloads.delete(id);
      void this.#options.disk.delete(id);
    }
  }

  /** Nobody waits for the disk. */
  #keep(sealed: SealedCertificate): SealedCertificate {
    void this.#options.disk.write(sealed.id, Buffer.from(JSON.stringify(sealed)));
    return sealed;
  }

  #read(id: string): SealedCertificate | undefined {
    const content = this.#options.disk.readSmall(id);
    return content === undefined ? undefined : this.#parse(id, content.toString());
  }

  #parse(id: string, content: string): SealedCertificate | undefined {
    try {
      return sealedCertificateSchema.parse(JSON.parse(content));
    } catch (error) {
      this.#options.log.warn({ err: error, id }, 'certificate file damaged; fetching it again');
      void this.#options.disk.delete(id);
      return undefined;
    }
  }
}
