import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { withTimeout } from '@pets/async';
import { certificateKeyBinding, PLATFORM_CERTIFICATE, type SealedCertificate } from '@pets/contracts/edge-feed';
import { unseal, type KeyRing, type Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import { BACKGROUND, type SealedCertificates } from './certificate-fetcher.js';

/**
 * Mozilla's "intermediate" profile (server-side TLS guidelines 6.0, ssl-config.mozilla.org): TLS 1.2 only with ECDHE and AES-GCM
 * or ChaCha20-Poly1305. The client chooses the cipher, because it knows whether its hardware supports AES.
 */
const intermediate = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  ecdhCurve: 'X25519MLKEM768:X25519:prime256v1:secp384r1',
  honorCipherOrder: false,
} as const;

/**
 * For the listener and for every certificate, because Node takes some options from one and some from the other. Without
 * tickets and a session cache every connection makes a full handshake: a resumed session would skip the choice of a
 * certificate, and with it the check that the name is still served.
 */
export const tlsOptions = { ...intermediate, secureOptions: constants.SSL_OP_NO_TICKET } as const;

/**
 * Memory of a context: OpenSSL copies its lists of groups, signature algorithms and ciphers into each (24 KB), keeps the
 * certificates decoded (8 bytes for each character of their PEM, the issuer twice), and adds 4 KB with the first handshake.
 */
const CONTEXT_BYTES = 28 * 1024;
const BYTES_PER_CHARACTER = 8;

/** Shorter than the time limit of a handshake, so that a failure can still be answered. */
const LOAD_LIMIT_MS = 4_000;

interface SecureContextsOptions {
  /** The configured platform certificate; undefined without one. */
  readonly platform: { readonly cert: string; readonly key: string } | undefined;
  readonly sealed: Pick<SealedCertificates, 'has' | 'load' | 'reload'>;
  readonly keyRing: KeyRing;
  readonly maxBytes: number;
  readonly log: Logger;
  readonly onLookUp?: (result: 'hit' | 'miss') => void;
}

/** The host of the handshake, and its client, which waits for a fetch only with others of its address. */
export interface ContextUse {
  readonly host: string;
  readonly requester: string;
}

interface OpenContext {
  readonly context: SecureContext;
  readonly bytes: number;
  /** The host of the last handshake. */
  host: string;
}

/** Certificates ready for handshakes: unsealed on first use, the least recently used ones closed beyond a limit of memory. */
export class SecureContexts {
  readonly #options: SecureContextsOptions;
  readonly #platform: SecureContext | undefined;
  readonly #open: LRUCache<string, OpenContext>;
  readonly #loading = new Map<string, Promise<OpenContext>>();

  constructor(options: SecureContextsOptions) {
    this.#options = options;
    this.#platform = options.platform && createSecureContext({ ...tlsOptions, ...options.platform });
    this.#open = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ context }) => closeSoon(context),
    });
  }

  /** @returns undefined for a certificate that is not open */
  open(id: string, host: string): SecureContext | undefined {
    if (id === PLATFORM_CERTIFICATE) return this.#platform;
    const open = this.#open.get(id);
    this.#options.onLookUp?.(open === undefined ? 'miss' : 'hit');
    if (open === undefined) return undefined;
    open.host = host;
    return open.context;
  }

  /**
   * Opens a certificate. Concurrent handshakes share one load. Use the context in the same tick: it may be closed in the next.
   * @throws Error when the certificate cannot be loaded or opened
   */
  async load(id: string, use: ContextUse): Promise<SecureContext> {
    const loading = this.#loading.get(id) ?? this.#load(id, use);
    return (await withTimeout(loading, LOAD_LIMIT_MS, `loading certificate ${id}`)).context;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Memory of the open contexts, approximately. */
  get bytes(): number {
    return this.#open.calculatedSize;
  }

  /** The host of the last handshake with a certificate; undefined when it is not open. */
  hostOf(id: string): string | undefined {
    return this.#open.peek(id)?.host;
  }

  /** Hosts of open certificates, the most recently used first. */
  recentHosts(limit: number): readonly string[] {
    const hosts: string[] = [];
    for (const { host } of this.#open.values()) {
      if (hosts.length >= limit) break;
      hosts.push(host);
    }
    return hosts;
  }

  /** Opens a certificate before its first use. Never rejects: the first use tries again. */
  async warm(id: string, host: string): Promise<void> {
    if (id === PLATFORM_CERTIFICATE || this.#open.has(id)) return;
    await this.load(id, { host, requester: BACKGROUND }).catch((error: unknown) =>
      this.#options.log.warn({ err: error, id }, 'certificate not opened in advance'),
    );
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#loading.delete(id);
      this.#open.delete(id);
    }
  }

  #load(id: string, use: ContextUse): Promise<OpenContext> {
    const loading = this.#read(id, use);
    this.#loading.set(id, loading);
    const isCurrent = () => this.#loading.get(id) === loading;
    loading.then(
      (open) => {
        if (!isCurrent()) return closeSoon(open.context); // dropped meanwhile
        this.#loading.delete(id);
        this.#open.set(id, open);
      },
      () => isCurrent() && this.#loading.delete(id),
    );
    return loading;
  }

  async #read(id: string, { host, requester }: ContextUse): Promise<OpenContext> {
    const { sealed } = this.#options;
    const stored = await sealed.load(id, requester);
    try {
      return this.#unseal(stored, host);
    } catch {
      return this.#unseal(await sealed.reload(stored, requester), host);
    }
  }

  #unseal({ id, organizationId, chainPem, sealedKey }: SealedCertificate, host: string): OpenContext {
    const key = unseal(this.#options.keyRing, sealedKey, certificateKeyBinding(id, organizationId));
    const context = createSecureContext({ ...tlsOptions, cert: chainPem, key });
    return { context, bytes: CONTEXT_BYTES + BYTES_PER_CHARACTER * chainPem.length, host };
  }
}

/**
 * Frees a context's memory, which otherwise happens when the garbage collector finds it: V8 sees 150 bytes of its 50 KB, so
 * with 2 000 contexts of 40 000 names 590 MB were in use instead of 170 MB. Connections keep their own reference. Handshakes
 * that wait for this context take it in this tick.
 */
function closeSoon(context: SecureContext): void {
  // Not documented: the handle of Node's `SecureContext` in C++. Without the method only the memory is freed later.
  const handle = context.context as { close?: () => void };
  setImmediate(() => handle.close?.());
}
