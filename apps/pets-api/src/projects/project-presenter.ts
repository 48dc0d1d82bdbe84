import { Inject, Injectable } from '@nestjs/common';
import type { Project } from '@pets/contracts';
import { canonicalName, type Suspension } from '@pets/domains';
import { presentSuspensions, SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { ProjectsRepository, type ProjectRow } from './projects.repository.js';

/** Facts about a project that are not in its row. */
interface ProjectContext {
  /** The primary domain, if visitors can use it. */
  readonly primary: string | undefined;
  readonly suspensions: readonly Suspension[];
}

/** Presents projects as the API returns them. */
@Injectable()
export class ProjectPresenter {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly suspensions: SuspensionsRepository,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN' | 'PUBLIC_HTTPS_PORT'>,
  ) {}

  /** A project that was just created has no domains and no suspensions. */
  presentNew(project: ProjectRow): Project {
    return this.present(project, { primary: undefined, suspensions: [] });
  }

  async presentOne(project: ProjectRow, now: Date): Promise<Project> {
    const contextOf = await this.loadContext([project], now);
    return this.present(project, contextOf(project));
  }

  async presentAll(projects: readonly ProjectRow[], now: Date): Promise<Project[]> {
    const contextOf = await this.loadContext(projects, now);
    return projects.map((project) => this.present(project, contextOf(project)));
  }

  private async loadContext(projects: readonly ProjectRow[], now: Date) {
    const primaries = projects.flatMap(({ id, domainConfig: { domains } }) =>
      domains.primary === undefined ? [] : [{ projectId: id, name: canonicalName(domains.primary) }],
    );
    const [usable, suspensions] = await Promise.all([
      this.projects.findUsablePrimaries(primaries, now),
      this.suspensions.ofProjects(projects.map(({ id }) => id)),
    ]);
    return ({ id }: ProjectRow): ProjectContext => ({
      primary: usable.get(id),
      suspensions: suspensions.get(id) ?? [],
    });
  }

  private present(project: ProjectRow, { primary, suspensions }: ProjectContext): Project {
    const { id, name, slug, hsts, trailingSlash } = project;
    const platformUrl = siteUrlOf(`${slug}.${this.config.PLATFORM_DOMAIN}`, this.config);
    const url = primary === undefined ? platformUrl : siteUrlOf(primary, this.config);
    return {
      ...{ id, name, slug, url, platformUrl, hsts, trailingSlash },
      suspensions: presentSuspensions(suspensions),
      createdAt: project.createdAt.toISOString(),
    };
  }
}

/** The URL of a host that edges serve. */
export function siteUrlOf(host: string, { PUBLIC_HTTPS_PORT: port }: Pick<Config, 'PUBLIC_HTTPS_PORT'>): string {
  return `https://${host}${port === 443 ? '' : `:${port}`}`;
}
