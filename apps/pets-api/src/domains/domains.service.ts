import { Injectable } from '@nestjs/common';
import type { Domain } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DomainPresenter } from './domain-presenter.js';
import { DomainsRepository } from './domains.repository.js';
import type { HistoryOf } from './history/domain-history.repository.js';

/** Reads domains for their owners. Changes are in `add-domain`, `check-domain` and `remove-domain`. */
@Injectable()
export class DomainsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly presenter: DomainPresenter,
  ) {}

  async list(organizationId: string, projectId: string): Promise<Domain[]> {
    await this.projects.get(organizationId, projectId);
    return this.presenter.present(await this.domains.list(projectId));
  }

  async get(organizationId: string, projectId: string, idOrName: string): Promise<Domain> {
    await this.projects.get(organizationId, projectId);
    return this.read(projectId, idOrName);
  }

  /** A domain of a project to which the caller was already given access. */
  async read(projectId: string, idOrName: string, db?: Database): Promise<Domain> {
    return this.presenter.presentOne(await this.domains.get(projectId, idOrName, db), db);
  }

  /** Checks the access to the history of a domain, or of the project when no domain is given. */
  async historyOf(organizationId: string, projectId: string, idOrName?: string): Promise<HistoryOf> {
    await this.projects.get(organizationId, projectId);
    if (idOrName === undefined) return { projectId };
    return { domainId: (await this.domains.get(projectId, idOrName)).id };
  }
}
