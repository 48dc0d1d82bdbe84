/**
 * The certificate of `*.<platform domain>`: the configured one, else the issued one that the feed names. Its id is the same for
 * every project, so that a renewal changes no route. A renewed one is presented from the moment when it is open: until then,
 * handshakes get the one before. Connections keep theirs.
 */
import { X509Certificate } from 'node:crypto';
import { exponentialDelayMs, retry } from '@pets/async';
import { PLATFORM_CERTIFICATE } from '@pets/contracts/edge-feed';
import type { Logger } from '@pets/platform';
import type { EdgeConfig } from '../platform/config.js';
import { BACKGROUND, type SealedCertificates } from './certificate-fetcher.js';
import type { SecureContexts } from './secure-contexts.js';

const RETRY_DELAY = { firstMs: 1_000, maxMs: 60_000 };

interface ConfiguredCertificate {
  readonly cert: string;
  readonly key: string;
}

/** @returns undefined where the edge presents the issued one */
export function configuredPlatformCertificate(
  config: Pick<EdgeConfig, 'PLATFORM_CERTIFICATE' | 'PLATFORM_KEY'>,
): ConfiguredCertificate | undefined {
  const { PLATFORM_CERTIFICATE: cert, PLATFORM_KEY: key } = config;
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

export interface PlatformCertificateOptions {
  readonly configured: ConfiguredCertificate | undefined;
  readonly contexts: Pick<SecureContexts, 'load' | 'drop'>;
  readonly sealed: Pick<SealedCertificates, 'load' | 'drop'>;
  readonly platformDomain: string;
  readonly log: Logger;
}

export class PlatformCertificate {
  readonly #options: PlatformCertificateOptions;
  #id: string | null;
  #endsAt: Date | undefined;
  /** The one that is being opened, or is open. */
  #wanted: string | null = null;
  #opening = new AbortController();

  constructor(options: PlatformCertificateOptions) {
    const { configured } = options;
    this.#options = options;
    this.#id = configured === undefined ? null : PLATFORM_CERTIFICATE;
    this.#endsAt = configured && endOf(configured.cert);
  }

  /** For `SecureContexts`; null while there is none, and handshakes are refused. */
  get id(): string | null {
    return this.#id;
  }

  /** Undefined until it is open. */
  get endsAt(): Date | undefined {
    return this.#endsAt;
  }

  /** @param id of the issued certificate, as the feed names it: null for none; with undefined, nothing changes */
  use(id: string | null | undefined): void {
    if (this.#options.configured !== undefined || id === undefined || id === this.#wanted) return;
    this.#wanted = id;
    this.#opening.abort();
    this.#opening = new AbortController();
    if (id === null) return this.#replace(null, undefined);
    // The first handshake may open it before `#open` does.
    this.#id ??= id;
    void this.#open(id, this.#opening.signal);
  }

  stop(): void {
    this.#opening.abort();
  }

  async #open(id: string, signal: AbortSignal): Promise<void> {
    const { contexts, sealed, platformDomain, log } = this.#options;
    const attempt = async () => {
      await contexts.load(id, { host: `*.${platformDomain}`, requester: BACKGROUND });
      return sealed.load(id, BACKGROUND);
    };
    const nextDelayMs = (failures: number, error: unknown) => {
      if (signal.aborted) return null;
      log.warn({ err: error, id }, 'platform certificate not opened; trying again');
      return exponentialDelayMs(RETRY_DELAY, failures);
    };
    const { chainPem } = await retry(attempt, { nextDelayMs, signal }).catch(() => ({ chainPem: undefined }));
    if (signal.aborted || chainPem === undefined) return;
    this.#replace(id, endOf(chainPem));
    log.info({ id, endsAt: this.#endsAt }, 'platform certificate opened');
  }

  #replace(id: string | null, endsAt: Date | undefined): void {
    const before = this.#id;
    this.#id = id;
    this.#endsAt = endsAt;
    if (before === null || before === id) return;
    this.#options.contexts.drop([before]);
    this.#options.sealed.drop([before]);
  }
}

function endOf(chainPem: string): Date {
  return new X509Certificate(chainPem).validToDate;
}
