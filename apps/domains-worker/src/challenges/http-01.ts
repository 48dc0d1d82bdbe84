import { Inject, Injectable } from '@nestjs/common';
import type { DnsFindings, ExpectedDns } from '@pets/contracts';
import { evaluateDns, shownAddresses } from '@pets/domains';
import type { Config } from '../config.js';
import { isReachable, tryChallengePath } from '../issuance/reachability.js';
import { CONFIG } from '../providers.js';
import type { ChallengeContext, ChallengeFindings, ChallengeHandler } from './challenge-handler.js';

/** RFC 8555 §8.3. Nothing is published for an order: edges answer every token of a host that answers challenges. */
@Injectable()
export class Http01 implements ChallengeHandler {
  readonly method = 'http-01';

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'HTTP01_PORT'>) {}

  isPossible(dns: DnsFindings, expected: ExpectedDns): boolean {
    return evaluateDns(dns, expected).kind === 'matches';
  }

  async check({ expected, dns, check, thumbprint }: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings> {
    const shown = shownAddresses(dns, expected.name, expected.addresses) ?? [];
    const path = { port: this.config.HTTP01_PORT, thumbprint, isShownByZone: hasZoneAnswered(dns, expected), shown };
    const reachability = await tryChallengePath(check.resolvers, expected, path, signal);
    return { passed: isReachable(reachability), reachability, challengeError: null };
  }

  publish(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }
}

function hasZoneAnswered({ lookups }: DnsFindings, { name }: ExpectedDns): boolean {
  return lookups.some((lookup) => lookup.isAuthoritative && lookup.name === name && lookup.answer.kind !== 'failed');
}
