import { Injectable } from '@nestjs/common';
import { type NewProject, type ProjectChange } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { LimitsService } from '../access/limits/limits.service.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from './projects.repository.js';
import { ReservedSlugs } from './reserved-slugs.js';
import { RoutePublisher } from './route-publisher.js';

@Injectable()
export class ProjectSettings {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly routes: RoutePublisher,
    private readonly limits: LimitsService,
    private readonly audit: AuditLog,
    private readonly reservedSlugs: ReservedSlugs,
  ) {}

  /**
   * @throws RequestError `name_reserved`; `project_limit_reached`; `already_exists` when the slug is taken, also by another organization
   */
  async create(db: Database, organizationId: string, project: NewProject): Promise<ProjectRow> {
    this.reservedSlugs.requireUnreserved(project.slug);
    return inTransaction(db, async (tx) => {
      const { projects: max } = await this.limits.lock(tx, organizationId);
      if ((await this.projects.count(organizationId, tx)) >= max)
        throw new RequestError('project_limit_reached', `The organization can have at most ${max} projects.`);
      const added = await this.projects.insert(tx, organizationId, project);
      const { id, name, slug } = added;
      const event = { organizationId, type: 'project.created', subject: { kind: 'project', id } } as const;
      await this.audit.record(tx, { ...event, detail: { name, slug } });
      return added;
    });
  }

  /**
   * Changes the given settings, and publishes the routes in the same transaction.
   * @throws RequestError `not_found`
   */
  async change(organizationId: string, projectId: string, change: ProjectChange): Promise<ProjectRow> {
    await this.projects.get(organizationId, projectId);
    return this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const { name = project.name, hsts = project.hsts, trailingSlash = project.trailingSlash } = change;
      const changed = { ...project, name, hsts, trailingSlash };
      await this.projects.setSettings(tx, projectId, changed);
      const event = { organizationId, type: 'project.changed', subject: { kind: 'project', id: projectId } } as const;
      await this.audit.record(tx, { ...event, detail: { name, hstsMaxAge: hsts?.maxAge ?? null, trailingSlash } });
      await this.routes.publish(tx, [{ project: changed }]);
      return changed;
    });
  }
}
