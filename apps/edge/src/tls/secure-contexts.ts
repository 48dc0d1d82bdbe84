import { createSecureContext, type SecureContext } from 'node:tls';
import { withTimeout } from '@pets/async';
import { certificateKeyBinding, PLATFORM_CERTIFICATE, type SealedCertificate } from '@pets/contracts';
import { unseal, type KeyRing, type Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { SealedCertificates } from './sealed-certificates.js';
import { tlsOptions } from './tls-options.js';

/** Each context takes about 25 KB. */
const MAX_OPEN_CONTEXTS = 10_000;

/** Shorter than the time limit of a handshake, so that a failure can still be answered. */
const LOAD_LIMIT_MS = 4_000;

/** Certificates ready for handshakes: unsealed on first use; the least recently used ones are dropped. */
export class SecureContexts {
  readonly #sealed: Pick<SealedCertificates, 'has' | 'load' | 'reload'>;
  readonly #keyRing: KeyRing;
  readonly #log: Logger;
  readonly #onLookUp: (result: 'hit' | 'miss') => void;
  readonly #platform: SecureContext;
  readonly #open: LRUCache<string, SecureContext>;

  constructor(
    platform: { readonly cert: string; readonly key: string },
    sealed: Pick<SealedCertificates, 'has' | 'load' | 'reload'>,
    keyRing: KeyRing,
    log: Logger,
    onLookUp: (result: 'hit' | 'miss') => void = () => undefined,
  ) {
    this.#sealed = sealed;
    this.#keyRing = keyRing;
    this.#log = log;
    this.#onLookUp = onLookUp;
    this.#platform = createSecureContext({ ...tlsOptions, ...platform });
    this.#open = new LRUCache({ max: MAX_OPEN_CONTEXTS, fetchMethod: (id) => this.#read(id) });
  }

  /** @returns undefined for a certificate that is not open */
  open(id: string): SecureContext | undefined {
    if (id === PLATFORM_CERTIFICATE) return this.#platform;
    const open = this.#open.get(id);
    this.#onLookUp(open === undefined ? 'miss' : 'hit');
    return open;
  }

  /**
   * Opens a certificate. Concurrent handshakes share one load.
   * @throws Error when the certificate cannot be loaded or opened
   */
  async load(id: string): Promise<SecureContext> {
    const context = await withTimeout(this.#open.fetch(id), LOAD_LIMIT_MS, `loading certificate ${id}`);
    if (context === undefined) throw new Error(`certificate ${id} was dropped during its load`);
    return context;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Ids of open certificates, the most recently used first. */
  recent(limit: number): readonly string[] {
    return [...this.#open.keys()].slice(0, limit);
  }

  /** Opens a certificate from disk before its first use. Never rejects: the first use tries again. */
  async warm(id: string): Promise<void> {
    if (!this.#sealed.has(id) || this.#open.has(id)) return;
    await this.#open.fetch(id).catch((error: unknown) => this.#log.warn({ err: error, id }, 'certificate not warmed'));
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  async #read(id: string): Promise<SecureContext> {
    const stored = await this.#sealed.load(id);
    try {
      return this.#unseal(stored);
    } catch (error) {
      this.#log.warn({ err: error, id }, 'stored certificate cannot be opened; fetching it again');
      return this.#unseal(await this.#sealed.reload(id));
    }
  }

  #unseal({ id, organizationId, chainPem, sealedKey }: SealedCertificate): SecureContext {
    const key = unseal(this.#keyRing, sealedKey, certificateKeyBinding(id, organizationId));
    return createSecureContext({ ...tlsOptions, cert: chainPem, key });
  }
}
