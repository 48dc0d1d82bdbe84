import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { domainConfigSchema, fieldError, isWildcard, type DomainConfig, type FieldError } from '@pets/contracts';
import { canonicalName, displayNameOf, findRedirectCycle, withPlatformRedirect } from '@pets/domains';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { DomainsRepository } from '../names/domains.repository.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { ProjectsRepository, ProjectTransactions } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';

/** A configuration with its entity tag. */
export interface TaggedConfig {
  readonly config: DomainConfig;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/** Limit of the redirects in an audit event; a configuration can have as many as its project has domains. */
const MAX_LISTED = 50;

@Injectable()
export class DomainConfigService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly routes: RoutePublisher,
    @Inject(CONFIG) private readonly settings: Pick<Config, 'PLATFORM_DOMAIN'>,
    private readonly audit: AuditLog,
  ) {}

  async get(organizationId: string, projectId: string): Promise<TaggedConfig> {
    return tag((await this.projects.get(organizationId, projectId)).domainConfig);
  }

  /**
   * Replaces the configuration, and publishes the routes in the same transaction.
   * @param check gets the tag of the stored configuration, and may throw
   */
  async put(
    organizationId: string,
    projectId: string,
    config: DomainConfig,
    check: (etag: string) => void,
  ): Promise<TaggedConfig> {
    await this.projects.get(organizationId, projectId);
    await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      check(tag(project.domainConfig).etag);
      const names = await this.domains.listNames(projectId, tx);
      const error = validate(config, names, `${project.slug}.${this.settings.PLATFORM_DOMAIN}`);
      if (error !== null) throw error;
      await this.projects.setDomainConfigs(tx, [{ id: projectId, domainConfig: config }]);
      const { primary = null, redirects } = config.domains;
      const subject = { kind: 'project', id: projectId } as const;
      const detail = {
        primary,
        redirects: redirects.slice(0, MAX_LISTED).map(({ from, to, status }) => `${from} ${status} ${to}`),
      };
      await this.audit.record(tx, { organizationId, type: 'project.config_changed', subject, detail });
      await this.routes.publish(tx, [{ project: { ...project, domainConfig: config } }]);
    });
    return tag(config);
  }
}

/** The schema restores the order of the members, which the database does not keep. */
function tag(stored: DomainConfig): TaggedConfig {
  const config = domainConfigSchema.parse(stored);
  return { config, etag: `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url')}"` };
}

/**
 * Returns the first kind of error in a configuration; null when it is valid.
 * @param names of the project's domains, in ASCII form
 */
function validate(config: DomainConfig, names: ReadonlySet<string>, platformHost: string): RequestError | null {
  const { primary, redirects } = config.domains;
  const sources = redirects.map(({ from }) => canonicalName(from));
  const [first, ...others] = [
    ...(primary === undefined ? [] : findForeign('domains.primary', primary, names)),
    ...(primary !== undefined && isWildcard(canonicalName(primary))
      ? [fieldError('domains.primary', 'is a wildcard: choose a single name.')]
      : []),
    ...redirects.flatMap(({ from, to }, i) => [
      ...findForeign(`domains.redirects.${i}.from`, from, names),
      ...(canonicalName(to) === platformHost ? [] : findForeign(`domains.redirects.${i}.to`, to, names)),
    ]),
    ...redirects.flatMap(({ from, to }, i) =>
      isWildcard(canonicalName(to)) && !isWildcard(canonicalName(from))
        ? [
            fieldError(
              `domains.redirects.${i}.to`,
              `${displayNameOf(to)} is a wildcard: only a wildcard can redirect to it.`,
            ),
          ]
        : [],
    ),
    ...sources.flatMap((from, i) =>
      sources.indexOf(from) === i
        ? []
        : [fieldError(`domains.redirects.${i}.from`, `${displayNameOf(from)} is redirected twice.`)],
    ),
    ...(config.platformRedirect === true && primary === undefined
      ? [fieldError('platformRedirect', 'requires domains.primary, the target of the redirect.')]
      : []),
  ];
  if (first !== undefined) return RequestError.ofFields('invalid_parameter', [first, ...others]);
  const cycle = findRedirectCycle(withPlatformRedirect(config, platformHost));
  if (cycle === null) return null;
  const loop = `these redirects form a loop: ${cycle.map(displayNameOf).join(' → ')}`;
  // Each source leads to one target, so all redirects of these sources are part of the loop.
  const parts = sources.flatMap((from, i) =>
    cycle.includes(from) ? [fieldError(`domains.redirects.${i}`, 'is part of the loop.')] : [],
  );
  return RequestError.ofFields('redirect_cycle', [fieldError('domains.redirects', loop), ...parts]);
}

function findForeign(field: string, name: string, names: ReadonlySet<string>): FieldError[] {
  return names.has(canonicalName(name)) ? [] : [fieldError(field, `${name} is not a domain of this project.`)];
}
