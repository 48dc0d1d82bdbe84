import { Injectable } from '@nestjs/common';
import type { Domain, DomainCounts } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { readPage } from '../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../http/paging/pages.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DomainCountsRepository, keptOf } from '../names/domain-counts.repository.js';
import { DomainListsRepository, type DomainFilters, type ListScope } from './domain-lists.repository.js';
import { DomainPresenter } from '../lifecycle/domain-presenter.js';
import { DomainsRepository } from '../names/domains.repository.js';
import type { HistoryOf } from '../names/domain-history.repository.js';

/** Reads domains for their owners. Changes are in `add-domain`, `check-domain` and `remove-domain`. */
@Injectable()
export class DomainsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly lists: DomainListsRepository,
    private readonly counts: DomainCountsRepository,
    private readonly presenter: DomainPresenter,
  ) {}

  /** A page of the domains of a project, or of the organization. */
  async list(scope: ListScope, filters: DomainFilters, bounds: PageBounds): Promise<FoundPage<Domain>> {
    const found = await this.lists.findPage(scope, filters, bounds);
    const { rows, next } = await readPage(found, (ids) => this.domains.listByIds(ids));
    return { rows: await this.presenter.present(rows), next };
  }

  async count(organizationId: string, projectId: string): Promise<DomainCounts> {
    await this.projects.get(organizationId, projectId);
    const counts = await this.counts.ofProject(projectId);
    const { awaitingDns: awaiting_dns, verified, live, misconfigured } = counts;
    return { total: keptOf(counts), byState: { awaiting_dns, verified, live }, misconfigured };
  }

  async get(organizationId: string, projectId: string, idOrName: string): Promise<Domain> {
    await this.projects.get(organizationId, projectId);
    return this.readDomain(projectId, idOrName);
  }

  /** A domain of a project to which the caller was already given access. */
  async readDomain(projectId: string, idOrName: string, db?: Database): Promise<Domain> {
    return this.presenter.presentOne(await this.domains.get(projectId, idOrName, db), db);
  }

  /** Checks the access to the history of a domain, or of the project when no domain is given. */
  async historyOf(organizationId: string, projectId: string, idOrName?: string): Promise<HistoryOf> {
    await this.projects.get(organizationId, projectId);
    if (idOrName === undefined) return { projectId };
    return { domainId: (await this.domains.get(projectId, idOrName)).id };
  }
}
