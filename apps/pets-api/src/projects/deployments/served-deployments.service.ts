import { Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { LimitsService } from '../../access/limits/limits.service.js';
import type { ProjectRow } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Collects older deployments and publishes routes when a project or its channels serve other ones. */
@Injectable()
export class ServedDeployments {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly limits: LimitsService,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * Gives up deployments beyond the limit, never one that is served, and publishes the routes. Call it last.
   * @param channels those that changed; absent if the active deployment did
   * @returns the feed version with the change, or null when no route changed
   */
  async change(tx: Tx, project: ProjectRow, channels?: readonly string[]): Promise<number | null> {
    const { keptDeployments } = await this.limits.readLimits(project.organizationId, tx);
    await this.deployments.collectAllBut(tx, project.id, Math.max(keptDeployments, 1));
    return this.routes.publish(tx, [{ project, ...(channels !== undefined && { channels }) }]);
  }
}
