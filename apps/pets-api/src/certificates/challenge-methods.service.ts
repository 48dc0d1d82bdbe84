import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeMethod } from '@pets/contracts';
import { chooseMethods, type DelegationFacts } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';

/** The methods of earlier attempts of a domain. */
interface UsedMethods {
  /** Method of the newest certificate; null without one. */
  readonly previous: ChallengeMethod | null;
  /** Method of the last attempt since then whose challenge failed; null if there is none. */
  readonly failed: ChallengeMethod | null;
  /** Whether an attempt since then has not reported its result: its job was lost, or is still in the queue. */
  readonly hasLost: boolean;
}

/** Finds the methods that the attempts of domains have used. */
@Injectable()
export class ChallengeMethodsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Returns the used methods by domain id. */
  async findUsed(domainIds: readonly string[]): Promise<ReadonlyMap<string, UsedMethods>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<UsedMethods & { domainId: string }>`
      select d.id as "domainId", i.method as previous, f.method as failed, exists (
          select from certificates c where c.domain_id = d.id and c.state = 'pending'
            and c.created_at > coalesce(i.issued_at, '-infinity')
        ) as "hasLost"
      from unnest(${domainIds}::uuid[]) as d (id)
      left join lateral (
        select coalesce(c.method, 'http-01') as method, c.issued_at from certificates c
        where c.domain_id = d.id and c.state = 'issued' order by c.issued_at desc limit 1
      ) i on true
      left join lateral (
        select c.method from certificates c
        where c.domain_id = d.id and c.state = 'failed' and c.failure_stage = 'challenge'
          and c.created_at > coalesce(i.issued_at, '-infinity')
        order by c.created_at desc limit 1
      ) f on true`.execute(this.db);
    return new Map(rows.map(({ domainId, ...used }) => [domainId, used]));
  }
}

type Subject = Omit<DelegationFacts, 'prepareMaxDays'> & { readonly domainId: string; readonly name: string };

interface ChosenMethods {
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
