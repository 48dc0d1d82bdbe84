import { Inject, Injectable } from '@nestjs/common';
import { isWildcard } from '@pets/contracts';
import { displayNameOf, pairedName, parseDomainName, type ParsedName } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { DatabaseBudget } from '../access/limits/database-budget.service.js';
import { LimitsService } from '../access/limits/limits.service.js';
import type { Limits } from '../http/principal.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { DeploymentsRepository } from '../projects/deployments/deployments.repository.js';
import { OriginsRepository } from '../projects/origins/origins.repository.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { DomainCountsRepository, keptOf } from '../names/domain-counts.repository.js';
import { BlockedNamesRepository, type BlockedName } from '../names/blocked-names.repository.js';

export type ValidName = Extract<ParsedName, { ok: true }>;

/** Decides which names may be added to a project. */
@Injectable()
export class DomainAdmission {
  constructor(
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'PLATFORM_DOMAIN' | 'ALLOW_SPECIAL_USE_NAMES' | 'ACME_DNS_ZONE'>,
    private readonly deployments: DeploymentsRepository,
    private readonly origins: OriginsRepository,
    private readonly counts: DomainCountsRepository,
    private readonly blockedNames: BlockedNamesRepository,
    private readonly limits: LimitsService,
    private readonly budget: DatabaseBudget,
  ) {}

  /** Whether a name is valid and can be served. */
  evaluate(written: string): ValidName | { readonly ok: false; readonly error: RequestError } {
    const parsed = parseDomainName(written, {
      platformDomain: this.config.PLATFORM_DOMAIN,
      allowSpecialUseNames: this.config.ALLOW_SPECIAL_USE_NAMES,
    });
    if (!parsed.ok) return { ok: false, error: RequestError.ofField('invalid_domain', 'name', parsed.reason) };
    if (isWildcard(parsed.name) && this.config.ACME_DNS_ZONE === undefined)
      return { ok: false, error: RequestError.ofField('wildcard_needs_dns_challenge', 'name', NO_DNS_CHALLENGES) };
    return parsed;
  }

  /** @throws RequestError when the name is invalid or cannot be served */
  parse(written: string): ValidName {
    const name = this.evaluate(written);
    if (!name.ok) throw name.error;
    return name;
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

  /** @throws RequestError `deployment_required` */
  async requireDeployed(tx: Tx, projectId: string): Promise<void> {
    if ((await this.deployments.findServedHash(tx, projectId)) !== null) return;
    if (await this.origins.isServing(tx, projectId)) return;
    throw new RequestError(
      'deployment_required',
      'Deploy the project successfully, or set an origin that passes its test, before adding a domain.',
    );
  }

  /**
   * Returns the names that a project whose lock is held may not add, and why. Reads the plan again, since it may have
   * changed after authentication, and locks it until the transaction ends. No name can be blocked until then.
   * @param names that the project does not have yet, in the order in which they take the places that are left
   * @param needsContent whether one of them has nothing of its own to serve
   * @throws RequestError `plan_required`, `deployment_required`
   */
  async findRefused(
    tx: Tx,
    { id: projectId, organizationId }: ProjectRow,
    names: readonly string[],
    needsContent = true,
  ): Promise<ReadonlyMap<string, RequestError>> {
    const limits = this.requireIncluded(await this.limits.hold(tx, organizationId));
    const full = names.length === 0 ? null : await this.budget.findRefusal(tx, organizationId, limits);
    if (full !== null) return new Map(names.map((name) => [name, full]));
    const limit = limits.domainsPerProject;
    const blocks = await this.blockedNames.findBlocks(tx, names);
    if (needsContent) await this.requireDeployed(tx, projectId);
    const room = Math.max(0, limit - keptOf(await this.counts.readLocked(tx, projectId)));
    const blocked = names.flatMap((name) => {
      const block = blocks.get(name);
      return block === undefined ? [] : ([[name, blockedName(name, block)]] as const);
    });
    const admissible = names.filter((name) => !blocks.has(name));
    const message = `A project can have at most ${limit} ${limit === 1 ? 'domain' : 'domains'}.`;
    const excess = admissible
      .slice(room)
      .map((name) => [name, new RequestError('domain_limit_reached', message)] as const);
    return new Map([...blocked, ...excess]);
  }
}

const NO_DNS_CHALLENGES =
  'A wildcard needs DNS-01 challenges, which this installation does not have. The operator has to set ACME_DNS_SERVER, ' +
  'ACME_DNS_ZONE and ACME_DNS_TSIG_KEY. Add each name separately until then.';

function blockedName(name: string, { reason }: BlockedName): RequestError {
  const message = `${displayNameOf(name)} cannot be added: ${reason}. Contact the operator.`;
  return RequestError.ofField('name_blocked', 'name', message);
}
