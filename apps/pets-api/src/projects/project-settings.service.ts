import { Inject, Injectable } from '@nestjs/common';
import { PRELOAD_AGE, type Hsts, type ProjectChange } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { DomainError } from '@pets/platform';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { DATABASE } from '../providers.js';
import { ProjectsRepository, type ProjectRow } from './projects.repository.js';

@Injectable()
export class ProjectSettings {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly projects: ProjectsRepository,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * Changes what is given; the edges get it with the same commit.
   * @throws DomainError `not_found`, `invalid_parameter`
   */
  async change(organizationId: string, projectId: string, change: ProjectChange): Promise<ProjectRow> {
    await this.projects.get(organizationId, projectId);
    requirePreloadable(change.hsts ?? null);
    return this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const { name = project.name, hsts = project.hsts } = change;
      const changed = { ...project, name, hsts };
      await this.projects.setSettings(tx, projectId, changed);
      await this.routes.publish(tx, [changed]);
      return changed;
    });
  }
}

/** What the lists of browsers refuse would be a header that promises something. */
function requirePreloadable(hsts: Hsts | null): void {
  if (hsts === null || !hsts.preload || (hsts.includeSubDomains && hsts.maxAge >= PRELOAD_AGE)) return;
  const message = `hsts.preload: preload needs includeSubDomains and a maxAge of at least ${PRELOAD_AGE}`;
  throw new DomainError('invalid_parameter', message);
}
