import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeMethod } from '@pets/contracts';
import { chooseMethods, type DelegationFacts } from '@pets/domains';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { ChallengeMethodsRepository } from './challenge-methods.repository.js';

type Subject = Omit<DelegationFacts, 'prepareMaxDays'> & { readonly domainId: string; readonly name: string };

export interface ChosenMethods {
  readonly methods: readonly ChallengeMethod[];
  /** Whether an earlier attempt may have left answers to challenges. */
  readonly hasLost: boolean;
}

/** Chooses how a CA may check the control of names. */
@Injectable()
export class ChallengeMethods {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'ACME_DNS_ZONE' | 'PREPARE_MAX_DAYS'>,
    private readonly methods: ChallengeMethodsRepository,
  ) {}

  /** Methods for the next attempt of each domain, by domain id, without domains for which no challenge can succeed. */
  async choose(subjects: readonly Subject[]): Promise<ReadonlyMap<string, ChosenMethods>> {
    const used = await this.methods.findUsed(subjects.map(({ domainId }) => domainId));
    const now = new Date();
    const { PREPARE_MAX_DAYS: prepareMaxDays } = this.config;
    const chosen = subjects.map((subject) => {
      const { previous = null, failed = null, hasLost = false } = used.get(subject.domainId) ?? {};
      const delegatedAt = this.config.ACME_DNS_ZONE === undefined ? null : subject.delegatedAt;
      const methods = chooseMethods({ ...subject, delegatedAt, prepareMaxDays, previous, failed }, now);
      return [subject.domainId, { methods, hasLost }] as const;
    });
    return new Map(chosen.filter(([, { methods }]) => methods.length > 0));
  }
}
