import { Inject, Injectable } from '@nestjs/common';
import type { DnsFindings, ExpectedDns, PreflightFindings } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns } from '@pets/dns';
import { evaluateCaa, evaluateDns } from '@pets/domains';
import type { OpenAccount } from '../certificate-authority/ca-accounts.js';
import type { Config } from '../config.js';
import { CONFIG } from '../providers.js';
import { isReachable, tryChallengePath } from './reachability.js';

export interface PreflightResult {
  readonly passed: boolean;
  readonly findings: PreflightFindings;
}

/**
 * The checks before an order, without caches: DNS points here, CAA permits the CA, and each address answers the challenge. A
 * failure at the CA counts against the limits of the name and the account; a failed check costs nothing.
 */
@Injectable()
export class IssuancePreflight {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dns: DnsServers,
  ) {}

  async check(expected: ExpectedDns, account: OpenAccount, signal: AbortSignal): Promise<PreflightResult> {
    const dnsCheck = this.dns.open(signal);
    const [dns, caaLookups] = await Promise.all([
      gatherDns(dnsCheck, expected, new Date()),
      gatherCaa(dnsCheck, expected),
    ]);
    if (evaluateDns(dns, expected).kind !== 'matches')
      return { passed: false, findings: { dns, caa: null, reachability: [] } };

    const { accountUrl, caaIdentities, thumbprint } = account;
    const caa = evaluateCaa(caaLookups, expected.name, { identities: caaIdentities, accountUrl });
    if (caa.kind !== 'permits') return { passed: false, findings: { dns, caa, reachability: [] } };

    const path = {
      port: this.config.HTTP01_PORT,
      thumbprint,
      isShownByZone: hasZoneAnswered(dns, expected),
    };
    const reachability = await tryChallengePath(dnsCheck.resolvers, expected, path, signal);
    return { passed: isReachable(reachability), findings: { dns, caa, reachability } };
  }
}

function hasZoneAnswered({ lookups }: DnsFindings, { name }: ExpectedDns): boolean {
  return lookups.some((lookup) => lookup.isAuthoritative && lookup.name === name && lookup.answer.kind !== 'failed');
}
