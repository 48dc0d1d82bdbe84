import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { domainConfigSchema, type DomainConfig } from '@pets/contracts';
import { canonicalName, findRedirectCycle } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { DomainError } from '@pets/platform';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DATABASE } from '../providers.js';
import { DomainsRepository } from './domains.repository.js';

/** A configuration with the tag of exactly this one. */
export interface TaggedConfig {
  readonly config: DomainConfig;
  /** Strong, with its quotes. */
  readonly etag: string;
}

@Injectable()
export class DomainConfigService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly routes: RoutePublisher,
  ) {}

  async get(organizationId: string, projectId: string): Promise<TaggedConfig> {
    return tag((await this.projects.get(organizationId, projectId)).domainConfig);
  }

  /**
   * Replaces the configuration; the edges get it with the same commit.
   * @param check sees the tag of what would be replaced, and may throw
   */
  async put(
    organizationId: string,
    projectId: string,
    config: DomainConfig,
    check: (etag: string) => void,
  ): Promise<TaggedConfig> {
    await this.projects.get(organizationId, projectId);
    await this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      check(tag(project.domainConfig).etag);
      const names = new Set((await this.domains.list(projectId, tx)).map(({ name }) => name));
      const fault = findFault(config, names);
      if (fault !== null) throw fault;
      await this.projects.setDomainConfig(tx, projectId, config);
      await this.routes.publish(tx, [{ ...project, domainConfig: config }]);
    });
    return tag(config);
  }
}

/** The schema puts the members in one order, which the database does not keep. */
function tag(stored: DomainConfig): TaggedConfig {
  const config = domainConfigSchema.parse(stored);
  return { config, etag: `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url')}"` };
}

/** The first thing wrong with a configuration, given the names of the project's domains in ASCII form. */
function findFault({ domains }: DomainConfig, names: ReadonlySet<string>): DomainError | null {
  const mentioned = [
    ...(domains.primary === undefined ? [] : [['domains.primary', domains.primary] as const]),
    ...domains.redirects.flatMap(({ from, to }, i) => [
      [`domains.redirects.${i}.from`, from] as const,
      [`domains.redirects.${i}.to`, to] as const,
    ]),
  ];
  const foreign = mentioned.find(([, name]) => !names.has(canonicalName(name)));
  if (foreign !== undefined)
    return new DomainError('invalid_parameter', `${foreign[0]}: ${foreign[1]} is not a domain of this project.`);
  const sources = domains.redirects.map(({ from }) => canonicalName(from));
  const doubled = sources.find((from, i) => sources.indexOf(from) !== i);
  if (doubled !== undefined)
    return new DomainError('invalid_parameter', `domains.redirects: ${doubled} is redirected twice.`);
  const cycle = findRedirectCycle({ domains });
  return (
    cycle && new DomainError('redirect_cycle', `domains.redirects: these redirect in a circle: ${cycle.join(' → ')}`)
  );
}
