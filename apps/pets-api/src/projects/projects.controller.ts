import { Body, Controller, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  listProjectsQuerySchema,
  newProjectSchema,
  projectChangeSchema,
  type ListProjectsQuery,
  type NewProject,
  type Project,
  type ProjectChange,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../http/idempotency/idempotent-call.js';
import { idSchema } from '../http/input-validation.js';
import { Pages } from '../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { ProjectPresenter } from './project-presenter.js';
import { ProjectSettings } from './project-settings.service.js';
import { ProjectsRepository } from './projects.repository.js';

const PATH = '/v1/projects';

@Controller(PATH)
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly settings: ProjectSettings,
    private readonly presenter: ProjectPresenter,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Body({ schema: newProjectSchema }) body: NewProject,
  ): Promise<Project | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const project = await this.settings.create(db, call.principal.organizationId, body);
      return { body: this.presenter.presentNew(project), location: `/v1/projects/${project.id}` };
    });
  }

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listProjectsQuerySchema }) { limit, cursor, ...filters }: ListProjectsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Project[]> {
    const request = { path: PATH, organizationId, limit, cursor, filters };
    const page = await this.pages.cutFound(reply, request, (bounds) =>
      this.projects.list(organizationId, filters, bounds),
    );
    return this.presenter.presentAll(page, this.clock());
  }

  @Get(':projectId')
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
  ): Promise<Project> {
    return this.presenter.presentOne(await this.projects.get(organizationId, projectId), this.clock());
  }

  @Patch(':projectId')
  async change(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Body({ schema: projectChangeSchema }) change: ProjectChange,
  ): Promise<Project> {
    const project = await this.settings.change(organizationId, projectId, change);
    return this.presenter.presentOne(project, this.clock());
  }
}
