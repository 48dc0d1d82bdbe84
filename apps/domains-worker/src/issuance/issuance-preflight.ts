import { Inject, Injectable } from '@nestjs/common';
import type { DnsFindings, ExpectedDns, GateFindings } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns } from '@pets/dns';
import { evaluateCaa, evaluateDns } from '@pets/domains';
import { CaAccounts, type CaAccount } from '../certificate-authority/ca-accounts.js';
import type { Config } from '../config.js';
import { CONFIG } from '../providers.js';
import { isReachable, tryChallengePath } from './reachability.js';

export interface GateResult {
  readonly isOpen: boolean;
  readonly findings: GateFindings;
}

/**
 * What must be so before the CA is asked, seen fresh: DNS points here, CAA permits, and the challenge is answered at
 * each address. A CA counts failures against the name and the account; ours cost nothing.
 */
@Injectable()
export class IssuancePreflight {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dns: DnsServers,
    private readonly accounts: CaAccounts,
  ) {}

  async examine(expected: ExpectedDns, account: CaAccount, signal: AbortSignal): Promise<GateResult> {
    const check = this.dns.open(signal);
    const [dns, caaLookups] = await Promise.all([gatherDns(check, expected, new Date()), gatherCaa(check, expected)]);
    if (evaluateDns(dns, expected).kind !== 'matches')
      return { isOpen: false, findings: { dns, caa: null, reachability: [] } };

    const { accountUrl, caaIdentities } = account;
    const caa = evaluateCaa(caaLookups, expected.name, { identities: caaIdentities, accountUrl });
    if (caa.kind !== 'permits') return { isOpen: false, findings: { dns, caa, reachability: [] } };

    const path = {
      port: this.config.HTTP01_PORT,
      thumbprint: this.accounts.thumbprint,
      isShownByZone: hasZoneAnswered(dns, expected),
    };
    const reachability = await tryChallengePath(check.resolvers, expected, path, signal);
    return { isOpen: isReachable(reachability), findings: { dns, caa, reachability } };
  }
}

function hasZoneAnswered({ lookups }: DnsFindings, { name }: ExpectedDns): boolean {
  return lookups.some((lookup) => lookup.isAuthoritative && lookup.name === name && lookup.answer.kind !== 'failed');
}
