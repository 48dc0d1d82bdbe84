import { Body, Controller, Get, Inject, Injectable, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  listProjectsQuerySchema,
  newProjectSchema,
  projectChangeSchema,
  type ListProjectsQuery,
  type NewProject,
  type Project,
  type ProjectChange,
} from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AuditLog } from '../access/audit/audit-log.js';
import { LimitsService } from '../access/limits/limits.service.js';
import { Idempotency, type JsonText } from '../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../http/idempotency/idempotent-call.js';
import { idSchema } from '../http/input-validation.js';
import { Pages } from '../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { ProjectPresenter } from './project-presenter.js';
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
