import { Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { LimitsService } from '../../access/limits/limits.service.js';
import type { ProjectRow } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Collects older deployments and publishes routes when a project has another active deployment. */
@Injectable()
export class ServedDeployments {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly limits: LimitsService,
    private readonly routes: RoutePublisher,
  ) {}

  /** Gives up deployments beyond the limit, never the active one, and publishes the routes. Call it last. */
  async change(tx: Tx, project: ProjectRow): Promise<void> {
    const { keptDeployments } = await this.limits.readLimits(project.organizationId, tx);
    await this.deployments.collectAllBut(tx, project.id, Math.max(keptDeployments, 1));
    await this.routes.publish(tx, [{ project }]);
  }
}
