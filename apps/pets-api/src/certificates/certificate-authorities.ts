import { Inject, Injectable } from '@nestjs/common';
import { configuredCas, type ConfiguredCa } from '@pets/domains';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';

/** The CAs that orders may use, with one account of ours at each. */
@Injectable()
export class CertificateAuthorities {
  /** In the configured order: the next one takes over when one fails. */
  readonly configured: readonly ConfiguredCa[];
  /** The directories of those that limit orders. Decisions about these are made under a lock. */
  readonly limitedUrls: readonly string[];

  constructor(@Inject(CONFIG) config: Pick<Config, 'ACME_DIRECTORY_URLS' | 'ACME_LIMITS'>) {
    this.configured = configuredCas(config.ACME_DIRECTORY_URLS, config.ACME_LIMITS);
    this.limitedUrls = this.configured
      .filter(({ limits }) => limits.length > 0)
      .map(({ directoryUrl }) => directoryUrl);
  }

  /** Undefined for one that is not configured any more. */
  find(directoryUrl: string): ConfiguredCa | undefined {
    return this.configured.find((ca) => ca.directoryUrl === directoryUrl);
  }
}
