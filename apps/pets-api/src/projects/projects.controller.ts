import { Body, Controller, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import {
  newProjectSchema,
  projectChangeSchema,
  type NewProject,
  type Project,
  type ProjectChange,
} from '@pets/contracts';
import { z } from 'zod';
import type { Config } from '../config.js';
import { idSchema } from '../http/path.schema.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { Idempotency, type JsonText } from '../idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../idempotency/idempotent-call.js';
import { CONFIG } from '../providers.js';
import { ProjectSettings } from './project-settings.service.js';
import { ProjectsRepository, type ProjectRow } from './projects.repository.js';

@Controller('v1/projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly settings: ProjectSettings,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Body({ schema: newProjectSchema }) body: NewProject,
  ): Promise<Project | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const project = await this.projects.insert(db, call.principal.organizationId, body);
      return { body: this.present(project), location: `/v1/projects/${project.id}` };
    });
  }

  @Get()
  async list(@CurrentPrincipal() { organizationId }: Principal): Promise<Project[]> {
    return (await this.projects.list(organizationId)).map((project) => this.present(project));
  }

  @Get(':projectId')
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
  ): Promise<Project> {
    return this.present(await this.projects.get(organizationId, projectId));
  }

  @Patch(':projectId')
  async change(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Body({ schema: projectChangeSchema }) change: ProjectChange,
  ): Promise<Project> {
    return this.present(await this.settings.change(organizationId, projectId, change));
  }

  private present({ id, name, slug, hsts, createdAt }: ProjectRow): Project {
    const { PLATFORM_DOMAIN, PUBLIC_HTTPS_PORT } = this.config;
    const port = PUBLIC_HTTPS_PORT === 443 ? '' : `:${PUBLIC_HTTPS_PORT}`;
    const url = `https://${slug}.${PLATFORM_DOMAIN}${port}`;
    return { id, name, slug, url, hsts, createdAt: createdAt.toISOString() };
  }
}
