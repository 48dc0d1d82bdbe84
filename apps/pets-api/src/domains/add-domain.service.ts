import { Injectable } from '@nestjs/common';
import type { Domain, DomainConfig, NewDomain } from '@pets/contracts';
import { inTransaction, notify, type Database, type Tx } from '@pets/persistence';
import type { Principal } from '../http/principal.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { DomainAdmission } from './domain-admission.js';
import { DomainInsertion } from './domain-insertion.js';
import { DomainOccurrences } from './domain-occurrences.js';
import { DomainsService } from './domains.service.js';

/** Of a pair, the name that was not requested redirects permanently to the other. */
const PAIR_STATUS = 301;

/** Adds names to a project: one, or an apex together with its `www.` name. */
@Injectable()
export class AddDomainService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly admission: DomainAdmission,
    private readonly insertion: DomainInsertion,
    private readonly routes: RoutePublisher,
    private readonly occurrences: DomainOccurrences,
    private readonly reading: DomainsService,
  ) {}

  /**
   * Adds the names and starts to poll their DNS, in one transaction.
   * @returns the requested domain; `pairedWith` has the id of the other name
   */
  async add(db: Database, principal: Principal, projectId: string, { name, pair }: NewDomain): Promise<Domain> {
    await this.projects.get(principal.organizationId, projectId, db);
    const requested = this.admission.parse(name);
    const paired = pair ? this.admission.parsePairedName(requested) : null;
    this.admission.requireIncluded(principal.limits);

    const id = await inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      await this.admission.require(tx, project, [requested.name, ...(paired === null ? [] : [paired.name])]);
      const added = await this.insertion.insert(tx, project, requested, principal.apiKeyId);
      const pairedAdded = paired === null ? [] : [await this.insertion.insert(tx, project, paired, principal.apiKeyId)];
      await this.publish(tx, project, [added, ...pairedAdded]);
      if (paired !== null) await this.redirectPaired(tx, project, { from: paired.name, to: requested.name });
      await notify(tx, 'domain_work');
      return added;
    });
    return this.reading.read(projectId, id, db);
  }

  private async publish(tx: Tx, { id: projectId, organizationId }: ProjectRow, ids: readonly string[]): Promise<void> {
    const occurrence = { type: 'domain.added', organizationId, projectId, at: new Date() } as const;
    await this.occurrences.record(
      tx,
      ids.map((domainId) => ({ ...occurrence, domainId })),
    );
  }

  private async redirectPaired(
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
    await this.routes.publish(tx, [{ project: { ...project, domainConfig }, names: [from, to] }]);
  }
}
