import { Inject, Injectable, Optional, type OnModuleDestroy } from '@nestjs/common';
import { DnsServers, type DnsLimits } from '@pets/dns';
import type { Config } from '../config.js';
import { CONFIG, DNS_LIMITS } from '../providers.js';

/** The configured DNS servers, closed with the module. Provided as `DnsServers`. */
@Injectable()
export class WorkerDns extends DnsServers implements OnModuleDestroy {
  constructor(
    @Inject(CONFIG)
    config: Pick<
      Config,
      'DNS_RESOLVERS' | 'DNS_ALLOW_PRIVATE_AUTHORITATIVE' | 'DNS_RESOLVERS_HOLD_ZONES' | 'DNS_AUTHORITATIVE_ADDRESSES'
    >,
    @Optional() @Inject(DNS_LIMITS) limits: Partial<DnsLimits> = {},
  ) {
    const { DNS_RESOLVERS: resolvers, DNS_ALLOW_PRIVATE_AUTHORITATIVE: allowPrivateAuthoritative } = config;
    const options = {
      allowPrivateAuthoritative,
      resolversHoldZones: config.DNS_RESOLVERS_HOLD_ZONES,
      authoritativeAt: config.DNS_AUTHORITATIVE_ADDRESSES,
    };
    super({ ...(resolvers !== undefined && { resolvers }), ...options }, limits);
  }

  onModuleDestroy(): void {
    this.close();
  }
}
