import { createSecureContext, type SecureContext } from 'node:tls';
import { withTimeout } from '@pets/async';
import { certificateKeyBinding, PLATFORM_CERTIFICATE, type SealedCertificate } from '@pets/contracts';
import { unseal, type KeyRing, type Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { SealedCertificates } from './sealed-certificates.js';
import { tlsOptions } from './tls-options.js';

/** Each takes about 25 KB. */
const OPEN_CONTEXTS = 10_000;

/** Well under the limit of a handshake, so that a failure is still answered. */
const LOAD_LIMIT_MS = 4_000;

/** Certificates ready for handshakes: unsealed and opened on first use, the least used ones closed again. */
export class SecureContexts {
  readonly #platform: SecureContext;
  readonly #open: LRUCache<string, SecureContext>;

  constructor(
    platform: { readonly cert: string; readonly key: string },
    private readonly sealed: Pick<SealedCertificates, 'has' | 'load' | 'reload'>,
    private readonly keyRing: KeyRing,
    private readonly log: Logger,
    private readonly onLookUp: (result: 'hit' | 'miss') => void = () => undefined,
  ) {
    this.#platform = createSecureContext({ ...tlsOptions, ...platform });
    this.#open = new LRUCache({ max: OPEN_CONTEXTS, fetchMethod: (id) => this.#read(id) });
  }

  /** The context of a certificate, where it is open already. */
  open(id: string): SecureContext | undefined {
    if (id === PLATFORM_CERTIFICATE) return this.#platform;
    const open = this.#open.get(id);
    this.onLookUp(open === undefined ? 'miss' : 'hit');
    return open;
  }

  /**
   * Opens a certificate. One load, however many handshakes ask for it.
   * @throws Error when the certificate cannot be had or opened
   */
  async load(id: string): Promise<SecureContext> {
    const context = await withTimeout(this.#open.fetch(id), LOAD_LIMIT_MS, `loading certificate ${id}`);
    if (context === undefined) throw new Error(`certificate ${id} was dropped while it was loaded`);
    return context;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Ids of the open ones, the most recently used first. */
  recent(limit: number): readonly string[] {
    return [...this.#open.keys()].slice(0, limit);
  }

  /** Opens a certificate that is on disk before somebody asks for it. Never rejects: it is opened on first use as well. */
  async warm(id: string): Promise<void> {
    if (!this.sealed.has(id) || this.#open.has(id)) return;
    await this.#open.fetch(id).catch((error: unknown) => this.log.warn({ err: error, id }, 'a certificate stays cold'));
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  async #read(id: string): Promise<SecureContext> {
    const stored = await this.sealed.load(id);
    try {
      return this.#unseal(stored);
    } catch (error) {
      this.log.warn({ err: error, id }, 'the stored certificate cannot be opened, fetching it again');
      return this.#unseal(await this.sealed.reload(id));
    }
  }

  #unseal({ id, organizationId, chainPem, sealedKey }: SealedCertificate): SecureContext {
    const key = unseal(this.keyRing, sealedKey, certificateKeyBinding(id, organizationId));
    return createSecureContext({ ...tlsOptions, cert: chainPem, key });
  }
}
