import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  deploymentChangesQuerySchema,
  listDeploymentsQuerySchema,
  newDeploymentSchema,
  type CreatedDeployment,
  type Deployment,
  type DeploymentChanges,
  type DeploymentChangesQuery,
  type DeploymentWithEdges,
  type ListDeploymentsQuery,
  type NewDeployment,
} from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { Pages } from '../../http/paging/pages.js';
import { idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { ProjectsRepository } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { BundleStorage } from './bundle-storage.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DeploymentComparison, DeploymentsService, detailsOf } from './deployments.service.js';

@Controller('v1/projects/:projectId/deployments')
export class DeploymentsController {
  constructor(
    private readonly bundles: BundleStorage,
    private readonly service: DeploymentsService,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly comparison: DeploymentComparison,
    private readonly routes: RoutePublisher,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Body: a gzipped tar (`application/gzip`) of at most 50 MiB, 200 MiB and 10 000 files unpacked. It is stored before its
   * idempotency key is taken: a transaction never waits for a client, and the hash of the content identifies the request.
   */
  @Post()
  async create(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Query({ schema: newDeploymentSchema }) { allow: allowed = new Set(), ...given }: NewDeployment,
    @Body() bundle: unknown,
  ): Promise<CreatedDeployment | JsonText> {
    if (!(bundle instanceof Readable))
      throw new RequestError('unsupported_media_type', 'The body must be application/gzip: a gzipped tar.');
    const details = detailsOf(given);
    const { channel, access } = details;
    const { organizationId } = call.principal;
    const stored = await this.bundles.store({ organizationId, projectId, bundle, allowed });
    const content = channel === null ? stored.filesHash : [stored.filesHash, channel, ...(access ? [access] : [])];
    return this.idempotency.run({ ...call, body: content }, async (db) => ({
      body: { ...(await this.service.publish(db, projectId, stored, details)), ignored: stored.ignored },
      location: `/v1/projects/${projectId}/deployments`,
    }));
  }

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Query({ schema: listDeploymentsQuerySchema }) { limit, cursor, state }: ListDeploymentsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly Deployment[]> {
    await this.projects.get(organizationId, projectId);
    const request = {
      path: `/v1/projects/${projectId}/deployments`,
      ...{ organizationId, limit, cursor, filters: { state } },
    };
    return this.pages.cutFound(reply, request, (bounds) => this.deployments.list(projectId, { state, limit }, bounds));
  }

  @Get(':deploymentId')
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Param('deploymentId', { schema: idSchema }) deploymentId: z.infer<typeof idSchema>,
  ): Promise<DeploymentWithEdges> {
    await this.projects.get(organizationId, projectId);
    const deployment = await this.deployments.findOne(projectId, deploymentId);
    if (deployment === null) throw new RequestError('not_found', 'There is no such deployment of this project.');
    const isServed = deployment.active || deployment.channels.length > 0;
    return { ...deployment, servedEverywhere: isServed && (await this.routes.isAppliedEverywhere(projectId)) };
  }

  @Get(':deploymentId/changes')
  async changes(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Param('deploymentId', { schema: idSchema }) deploymentId: z.infer<typeof idSchema>,
    @Query({ schema: deploymentChangesQuerySchema }) { since }: DeploymentChangesQuery,
  ): Promise<DeploymentChanges> {
    await this.projects.get(organizationId, projectId);
    return this.comparison.compare(projectId, deploymentId, since);
  }

  @Delete(':deploymentId')
  @HttpCode(204)
  async delete(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Param('deploymentId', { schema: idSchema }) deploymentId: z.infer<typeof idSchema>,
  ): Promise<void> {
    await this.projects.get(organizationId, projectId);
    await this.service.delete(projectId, deploymentId);
  }

  @Post(':deploymentId/activate')
  @HttpCode(200)
  async activate(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Param('deploymentId', { schema: idSchema }) deploymentId: z.infer<typeof idSchema>,
  ): Promise<Deployment | JsonText> {
    await this.projects.get(call.principal.organizationId, projectId);
    return this.idempotency.run(call, async (db) => ({
      body: await this.service.activate(db, projectId, deploymentId),
    }));
  }
}
