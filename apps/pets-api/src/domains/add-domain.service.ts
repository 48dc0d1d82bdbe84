import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Domain, type DomainConfig, type NewDomain } from '@pets/contracts';
import { pairedName, parseDomainName, type ParsedName } from '@pets/domains';
import { inTransaction, notify, type Database, type Tx } from '@pets/persistence';
import { RequestError, type Logger } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import type { Config } from '../platform/config.js';
import { DeploymentsRepository } from '../projects/deployments/deployments.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import type { Limits, Principal } from '../http/principal.js';
import { LimitsService } from '../access/limits/limits.service.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { CONFIG, LOG } from '../platform/providers.js';
import { BlockedNamesRepository } from './suspensions/blocked-names.repository.js';
import { DomainOccurrences } from './domain-occurrences.js';
import { DomainHistoryRepository } from './history/domain-history.repository.js';
import { DomainPresenter } from './domain-presenter.js';
import { DomainsRepository } from './domains.repository.js';
import { WorkRepository } from './dispatch/work.repository.js';

const TOKEN_BYTES = 20;

/** Of a pair the one that was not asked for leads to the other, for good. */
const PAIR_STATUS = 301;

type Name = Extract<ParsedName, { ok: true }>;

/** Adding names to a project: one, or an apex and its `www.` name together. */
@Injectable()
export class AddDomainService {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN' | 'ALLOW_SPECIAL_USE_NAMES'>,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly domains: DomainsRepository,
    private readonly history: DomainHistoryRepository,
    private readonly work: WorkRepository,
    private readonly blockedNames: BlockedNamesRepository,
    private readonly routes: RoutePublisher,
    private readonly occurrences: DomainOccurrences,
    private readonly presenter: DomainPresenter,
    private readonly limits: LimitsService,
    private readonly audit: AuditLog,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Polling of the names' DNS starts by itself. Either all of it is done or nothing.
   * @returns the domain that was asked for; `pairedWith` has the id of its twin
   */
  async add(db: Database, principal: Principal, projectId: string, { name, pair }: NewDomain): Promise<Domain> {
    await this.projects.get(principal.organizationId, projectId, db);
    const asked = this.parse(name);
    const twin = pair ? this.parseTwin(asked) : null;
    requireIncluded(principal.limits);

    const id = await inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const { domainsPerProject: limit } = requireIncluded(await this.limits.hold(tx, principal.organizationId));
      await this.blockedNames.requireUnblocked(tx, [asked.name, ...(twin === null ? [] : [twin.name])]);
      await this.assertRoom(tx, projectId, { wanted: twin === null ? 1 : 2, limit });
      const added = await this.insert(tx, project, asked, principal.apiKeyId);
      const twinAdded = twin === null ? [] : [await this.insert(tx, project, twin, principal.apiKeyId)];
      await this.tell(tx, project, [added, ...twinAdded]);
      if (twin !== null) await this.redirectTwin(tx, project, { from: twin.name, to: asked.name });
      await notify(tx, 'domain_work');
      return added;
    });
    return this.presenter.presentOne(await this.domains.get(projectId, id, db), db);
  }

  private parse(written: string): Name {
    const parsed = parseDomainName(written, {
      platformDomain: this.config.PLATFORM_DOMAIN,
      allowSpecialUseNames: this.config.ALLOW_SPECIAL_USE_NAMES,
    });
    if (!parsed.ok) throw RequestError.ofField(parsed.code, 'name', parsed.reason);
    return parsed;
  }

  private parseTwin(asked: Name): Name {
    const twin = pairedName(asked);
    if (twin !== null) return this.parse(twin);
    const pairs = `${asked.apexName} and www.${asked.apexName}`;
    throw RequestError.ofField('invalid_domain', 'pair', `only an apex and its www name are a pair, such as ${pairs}.`);
  }

  private async assertRoom(
    tx: Tx,
    projectId: string,
    { wanted, limit }: { readonly wanted: number; readonly limit: number },
  ): Promise<void> {
    if ((await this.deployments.findServedHash(tx, projectId)) === null) {
      throw new RequestError('deployment_required', 'Deploy the project successfully before adding a domain.');
    }
    if ((await this.domains.countKept(tx, projectId)) + wanted > limit) {
      throw new RequestError('domain_limit_reached', `A project can have at most ${limit} domains.`);
    }
  }

  private async insert(tx: Tx, project: ProjectRow, parsed: Name, apiKeyId: string): Promise<string> {
    const now = new Date();
    const { organizationId, id: projectId } = project;
    const { name, unicodeName, apexName } = parsed;
    const tokens = { targetToken: token('hex'), ownershipToken: token('base64url') };
    await this.domains.claim(tx, { organizationId, name, ...tokens });
    const id = await this.domains.insert(tx, { name, unicodeName, apexName, organizationId, projectId, now });
    await this.work.schedule(tx, id, { dns: { dueAt: now, failuresInARow: 0 } });
    const line = {
      type: 'owner.added',
      from: null,
      to: 'awaiting_dns',
      detail: 'added: waiting for its DNS record',
    } as const;
    await this.history.record(tx, { id, projectId }, { ...line, apiKeyId, at: now });
    const event = { organizationId, type: 'domain.added', subject: { kind: 'domain', id } } as const;
    await this.audit.record(tx, { ...event, detail: { name, projectId } });
    const { type: trigger, from, to } = line;
    this.log.info({ domainId: id, generation: 1, trigger, from, to }, 'domain changed');
    return id;
  }

  private async tell(tx: Tx, { id: projectId, organizationId }: ProjectRow, ids: readonly string[]): Promise<void> {
    const told = { type: 'domain.added', organizationId, projectId, at: new Date() } as const;
    await this.occurrences.record(
      tx,
      ids.map((domainId) => ({ ...told, domainId })),
    );
  }

  private async redirectTwin(
    tx: Tx,
    project: ProjectRow,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<void> {
    const { primary = to, redirects } = project.domainConfig.domains;
    const domainConfig: DomainConfig = {
      ...project.domainConfig,
      domains: { primary, redirects: [...redirects, { from, to, status: PAIR_STATUS }] },
    };
    await this.projects.setDomainConfigs(tx, [{ id: project.id, domainConfig }]);
    await this.routes.publish(tx, [{ ...project, domainConfig }]);
  }
}

/** The plan may have changed since the key was looked up. @throws DomainError `plan_required` */
function requireIncluded(limits: Limits): Limits {
  if (limits.domainsPerProject > 0) return limits;
  throw new RequestError('plan_required', 'Custom domains need a paid plan (Pro or above).');
}

/** Hex where it becomes a DNS label, which has no case. */
function token(encoding: 'hex' | 'base64url'): string {
  return randomBytes(TOKEN_BYTES).toString(encoding);
}
