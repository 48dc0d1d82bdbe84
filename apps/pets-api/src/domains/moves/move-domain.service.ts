/**
 * Moves a domain to another project of its organization, in one transaction: the row of the domain, both configurations, the
 * history of both projects, the audit event, the webhook event, and one version of the feed. An edge therefore applies the
 * move as a change of one route: it closes no connection, and there is no moment without a route.
 *
 * What belongs to the domain or to the organization stays: claim with its tokens, certificate, an origin of its own, schedule and
 * attempts under a lease, whose results are applied as before (`lifecycle.service.ts` locks the project that the domain is in then).
 * Both projects are locked first, in the order of their ids, as everywhere.
 */
import { Inject, Injectable } from '@nestjs/common';
import { displayName, fieldError, MAX_REDIRECTS, originRow, type Domain, type DomainMove } from '@pets/contracts';
import {
  canonicalName,
  domainsConnectedTo,
  moveConfigEntries,
  referencesTo,
  type ConfiguredProject,
} from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, type Logger } from '@pets/platform';
import { sql } from 'kysely';
import { AuditLog } from '../../access/audit/audit-log.js';
import { suspended, SuspensionsRepository } from '../../access/suspensions/suspensions.repository.js';
import type { Principal } from '../../http/principal.js';
import { DomainOccurrences } from '../../lifecycle/domain-occurrences.js';
import { DomainHistoryRepository } from '../../names/domain-history.repository.js';
import type { DomainRow } from '../../names/domain-row.js';
import { DomainsRepository } from '../../names/domains.repository.js';
import type { Config } from '../../platform/config.js';
import { CONFIG, LOG } from '../../platform/providers.js';
import { OriginsRepository } from '../../projects/origins/origins.repository.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../../projects/projects.repository.js';
import { RoutePublisher } from '../../projects/route-publisher.js';
import { ChannelBindings } from '../domain-labels.service.js';
import { DomainAdmission } from '../domain-admission.js';
import { DomainsService } from '../domains.service.js';

/** Writes that only a move makes. The transaction holds the locks of both projects. */
@Injectable()
export class DomainMovesRepository {
  /**
   * Gives domains to another project. Their changes have numbers of the project before; the line of history that follows
   * announces the domains to the readers of the other one.
   */
  async setProject(tx: Tx, ids: readonly string[], projectId: string): Promise<void> {
    await sql`
      with gone as (delete from domain_changes where domain_id = any(${ids}))
      update domains set project_id = ${projectId} where id = any(${ids})`.execute(tx);
  }

  /**
   * Lets the next line of history of a project have a higher number than every line of another one: the history of a domain
   * is read in the order of the numbers, also where it has lines of several projects.
   */
  async advanceNumbers(tx: Tx, projectId: string, behindProjectId: string): Promise<void> {
    await sql`
      update projects p set event_number = b.event_number from projects b
      where p.id = ${projectId} and b.id = ${behindProjectId} and p.event_number < b.event_number`.execute(tx);
  }
}

/** Domains that move between two projects whose locks the transaction holds. */
interface Move {
  readonly source: ProjectRow;
  readonly target: ProjectRow;
  readonly domains: readonly DomainRow[];
  readonly apiKeyId: string;
  readonly at: Date;
}

/** Writes a move: the rows of the domains and their origins, a line of history in each project, audit events and webhook events. */
@Injectable()
export class MoveRecords {
  constructor(
    private readonly moves: DomainMovesRepository,
    private readonly origins: OriginsRepository,
    private readonly history: DomainHistoryRepository,
    private readonly audit: AuditLog,
    private readonly occurrences: DomainOccurrences,
  ) {}

  /** The number of statements does not depend on the number of domains. @returns ids of the origins that move along */
  async write(tx: Tx, move: Move): Promise<readonly string[]> {
    const { source, target, domains, at } = move;
    const ids = domains.map(({ id }) => id);
    await this.recordLines(tx, move, source, `moved to the project ${target.slug}`);
    await this.moves.advanceNumbers(tx, target.id, source.id);
    await this.moves.setProject(tx, ids, target.id);
    const origins = await this.origins.moveOfDomains(tx, ids, target.id);
    await this.recordLines(tx, move, target, `moved here from the project ${source.slug}`);
    await this.audit.recordAll(
      tx,
      domains.map(({ id, organizationId, name }) => ({
        ...{ organizationId, type: 'domain.moved' as const },
        subject: { kind: 'domain', id },
        detail: { name, projectId: target.id, fromProjectId: source.id, fromProject: source.name },
      })),
    );
    await this.occurrences.record(
      tx,
      domains.map(({ id: domainId, organizationId }) => {
        const projects = { projectId: target.id, previousProjectId: source.id };
        return { type: 'domain.moved', domainId, organizationId, ...projects, at };
      }),
    );
    return origins;
  }

  private async recordLines(
    tx: Tx,
    { domains, apiKeyId, at }: Move,
    project: ProjectRow,
    detail: string,
  ): Promise<void> {
    await this.history.recordAll(
      tx,
      domains.map(({ id, state }) => ({
        domain: { id, projectId: project.id },
        line: { type: 'owner.moved', from: state, to: state, detail, apiKeyId, at },
      })),
    );
  }
}

@Injectable()
export class MoveDomainService {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN'>,
    @Inject(LOG) private readonly log: Logger,
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly suspensions: SuspensionsRepository,
    private readonly admission: DomainAdmission,
    private readonly origins: OriginsRepository,
    private readonly bindings: ChannelBindings,
    private readonly records: MoveRecords,
    private readonly routes: RoutePublisher,
    private readonly reading: DomainsService,
  ) {}

  /** @returns the domain, in the other project */
  async move(
    db: Database,
    { organizationId, apiKeyId }: Principal,
    from: { readonly projectId: string; readonly domain: string },
    { projectId: targetId, redirects }: DomainMove,
  ): Promise<Domain> {
    await this.projects.get(organizationId, from.projectId, db);
    if (!(await this.projects.exists(organizationId, targetId, db)))
      throw RequestError.ofField('not_found', 'projectId', 'There is no such project.');
    const { id } = await this.domains.get(from.projectId, from.domain, db);
    const move = async (tx: Tx) => {
      const locked = await this.projects.lockAll(tx, [from.projectId, targetId]);
      const [source, target] = [locked.get(from.projectId), locked.get(targetId)];
      if (source === undefined || target === undefined) throw new Error('a project is gone');
      const domain = await this.domains.getLocked(tx, source.id, id);
      if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
      if (source.id === target.id) return;
      if (redirects === 'refuse') requireUnreferenced(source, domain);
      const domains = await this.listMoved(tx, source, domain);
      await this.requireMovable(tx, domains, source, target);
      await this.apply(tx, { source, target, domains, apiKeyId, at: new Date() });
    };
    await this.transactions.run([from.projectId, targetId], move, db);
    return this.reading.readDomain(targetId, id, db);
  }

  /** The domain, and those that redirects connect with it. */
  private async listMoved(tx: Tx, source: ProjectRow, domain: DomainRow): Promise<readonly DomainRow[]> {
    const names = [...domainsConnectedTo(domain.name, this.configured(source))];
    if (names.length === 1) return [domain];
    const ids = await this.domains.findIds(source, { ids: [], names }, tx);
    return [...(await this.domains.listLocked(tx, [...ids.values()])).values()];
  }

  /** @throws RequestError when the target may not have the domains, or something is suspended */
  private async requireMovable(
    tx: Tx,
    domains: readonly DomainRow[],
    source: ProjectRow,
    target: ProjectRow,
  ): Promise<void> {
    const names = domains.map(({ name }) => name);
    const needsContent = await this.needsContent(tx, domains, source);
    const [refusal] = (await this.admission.findRefused(tx, target, names, needsContent)).values();
    if (refusal !== undefined) throw refusal;
    // Of any cause: a suspension of one project must neither end nor begin unnoticed.
    const ofTarget = (await this.suspensions.ofProjects([target.id], tx)).get(target.id) ?? [];
    const [suspension] = [...domains.flatMap((domain) => domain.suspensions), ...ofTarget];
    if (suspension !== undefined) throw suspended(suspension.scope, suspension.reason);
  }

  /** Whether one of the domains neither redirects to another of them nor has an application of its own. */
  private async needsContent(tx: Tx, domains: readonly DomainRow[], { domainConfig }: ProjectRow): Promise<boolean> {
    const names = new Set(domains.map(({ name }) => name));
    const redirects = domainConfig.domains.redirects.filter(({ to }) => names.has(canonicalName(to)));
    const redirected = new Set(redirects.map(({ from }) => canonicalName(from)));
    const served = await this.origins.listServed(
      tx,
      domains.map(({ id }) => id),
    );
    return domains.some(({ id, name }) => !redirected.has(name) && !served.has(id));
  }

  private async apply(tx: Tx, { source, target, domains, ...request }: Move): Promise<void> {
    const names = domains.map(({ name }) => name);
    const configs = moveConfigEntries(new Set(names), this.configured(source), this.configured(target));
    if (configs.target.domains.redirects.length > MAX_REDIRECTS) throw tooManyRedirects();
    const left = { ...source, domainConfig: configs.source };
    const joined = { ...target, domainConfig: configs.target };
    await this.projects.setDomainConfigs(tx, [left, joined]);
    await this.bindings.end(tx, source, domains);
    const origins = await this.records.write(tx, { source, target, domains, ...request });
    const changed = [...names, ...origins.map(originRow)];
    await this.routes.publish(tx, [
      { project: left, names: changed, previousConfig: source.domainConfig },
      { project: joined, names: changed, previousConfig: target.domainConfig },
    ]);
    for (const { id: domainId } of domains)
      this.log.info({ domainId, fromProjectId: source.id, toProjectId: target.id }, 'domain moved');
  }

  private configured({ slug, domainConfig }: ProjectRow): ConfiguredProject {
    return { config: domainConfig, platformHost: `${slug}.${this.config.PLATFORM_DOMAIN}` };
  }
}

/** @throws RequestError `conflict`, with the entries that refer to the domain */
function requireUnreferenced({ domainConfig }: ProjectRow, domain: DomainRow): void {
  const [first, ...others] = referencesTo(domainConfig, domain.name).map((text) => fieldError('redirects', text));
  if (first === undefined) return;
  const count = others.length === 0 ? 'an entry' : `${others.length + 1} entries`;
  throw RequestError.ofFields('conflict', [
    fieldError(
      'redirects',
      `the domain configuration has ${count} with ${displayName(domain)}; remove them, or send "move" to move them along.`,
    ),
    first,
    ...others,
  ]);
}

function tooManyRedirects(): RequestError {
  const message = `the project would have more than ${MAX_REDIRECTS} redirects.`;
  return RequestError.ofField('domain_limit_reached', 'projectId', message);
}
