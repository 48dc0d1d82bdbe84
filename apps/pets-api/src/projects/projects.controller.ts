import { Body, Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { newProjectSchema, type NewProject, type Project } from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Config } from '../config.js';
import { idSchema } from '../http/path.schema.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { CONFIG } from '../providers.js';
import { ProjectsRepository, type ProjectRow } from './projects.repository.js';

@Controller('v1/projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post()
  async create(
    @CurrentPrincipal() { organizationId }: Principal,
    @Body({ schema: newProjectSchema }) body: NewProject,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Project> {
    const project = await this.projects.insert(organizationId, body);
    reply.header('location', `/v1/projects/${project.id}`);
    return this.present(project);
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

  private present({ id, name, slug, createdAt }: ProjectRow): Project {
    const { PLATFORM_DOMAIN, PUBLIC_HTTPS_PORT } = this.config;
    const port = PUBLIC_HTTPS_PORT === 443 ? '' : `:${PUBLIC_HTTPS_PORT}`;
    return { id, name, slug, url: `https://${slug}.${PLATFORM_DOMAIN}${port}`, createdAt: createdAt.toISOString() };
  }
}
