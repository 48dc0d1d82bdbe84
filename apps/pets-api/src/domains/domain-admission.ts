import { Inject, Injectable } from '@nestjs/common';
import { pairedName, parseDomainName, type ParsedName } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { LimitsService } from '../access/limits/limits.service.js';
import type { Limits } from '../http/principal.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { DeploymentsRepository } from '../projects/deployments/deployments.repository.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { DomainCountsRepository, keptOf } from './domain-counts.repository.js';
import { BlockedNamesRepository } from './suspensions/blocked-names.repository.js';

export type ValidName = Extract<ParsedName, { ok: true }>;

/** Decides which names may be added to a project. */
@Injectable()
export class DomainAdmission {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN' | 'ALLOW_SPECIAL_USE_NAMES'>,
    private readonly deployments: DeploymentsRepository,
    private readonly counts: DomainCountsRepository,
    private readonly blockedNames: BlockedNamesRepository,
    private readonly limits: LimitsService,
  ) {}

  /** @throws RequestError when the name is invalid or cannot be served */
  parse(written: string): ValidName {
    const parsed = parseDomainName(written, {
      platformDomain: this.config.PLATFORM_DOMAIN,
      allowSpecialUseNames: this.config.ALLOW_SPECIAL_USE_NAMES,
    });
    if (!parsed.ok) throw RequestError.ofField(parsed.code, 'name', parsed.reason);
    return parsed;
  }

  /** The `www.` name of an apex, or the apex of a `www.` name. @throws RequestError `invalid_domain` for other names */
  parsePairedName(requested: ValidName): ValidName {
    const paired = pairedName(requested);
    if (paired !== null) return this.parse(paired);
    const pairs = `${requested.apexName} and www.${requested.apexName}`;
    throw RequestError.ofField('invalid_domain', 'pair', `only an apex and its www name are a pair, such as ${pairs}.`);
  }

  /** @throws RequestError `plan_required` */
  requireIncluded(limits: Limits): Limits {
    if (limits.domainsPerProject > 0) return limits;
    throw new RequestError('plan_required', 'Custom domains need a paid plan (Pro or above).');
  }

  /**
   * Checks whether names may be added to a project whose lock is held. Reads the plan again, since it may have changed after
   * authentication, and locks it until the transaction ends.
   * @throws RequestError `plan_required`, `deployment_required`, `domain_limit_reached`, `name_blocked`
   */
  async require(tx: Tx, { id: projectId, organizationId }: ProjectRow, names: readonly string[]): Promise<void> {
    const { domainsPerProject: limit } = this.requireIncluded(await this.limits.hold(tx, organizationId));
    await this.blockedNames.requireUnblocked(tx, names);
    if ((await this.deployments.findServedHash(tx, projectId)) === null) {
      throw new RequestError('deployment_required', 'Deploy the project successfully before adding a domain.');
    }
    if (keptOf(await this.counts.readLocked(tx, projectId)) + names.length > limit) {
      throw new RequestError(
        'domain_limit_reached',
        `A project can have at most ${limit} ${limit === 1 ? 'domain' : 'domains'}.`,
      );
    }
  }
}
