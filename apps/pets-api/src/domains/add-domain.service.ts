import { Injectable } from '@nestjs/common';
import { displayName, MAX_REDIRECTS, type Domain, type DomainConfig, type NewDomain } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Principal } from '../http/principal.js';
import { DomainOccurrences } from '../lifecycle/domain-occurrences.js';
import { DomainsRepository, type KeptDomain, type NewDomainRow } from '../names/domains.repository.js';
import { WildcardExclusionsRepository } from '../names/wildcard-exclusions.repository.js';
import { OriginsRepository } from '../projects/origins/origins.repository.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { DomainAdmission, type ValidName } from './domain-admission.js';
import { findUnforwardable } from './domain-labels.service.js';
import { DomainInsertion, type AdditionRequest } from './domain-insertion.js';
import { DomainsService } from './domains.service.js';

/** Result of adding a name to a project. */
type Addition =
  | { readonly kind: 'created'; readonly id: string }
  /** The project has the domain already, and nothing changed. */
  | { readonly kind: 'exists'; readonly id: string }
  | { readonly kind: 'refused'; readonly error: RequestError };

/**
 * Adds names to a project: every way to add a domain ends here. The number of statements does not depend on the number of
 * names.
 */
@Injectable()
export class DomainAdditions {
  constructor(
    private readonly admission: DomainAdmission,
    private readonly insertion: DomainInsertion,
    private readonly domains: DomainsRepository,
    private readonly occurrences: DomainOccurrences,
    private readonly exclusions: WildcardExclusionsRepository,
    private readonly work: WorkRepository,
    private readonly origins: OriginsRepository,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * Adds names, in a transaction that holds the lock of the project, and starts to poll their DNS.
   * @returns the outcome of each name
   * @throws RequestError `plan_required`, `deployment_required`: nothing can be added to the project
   */
  async addNames(
    tx: Tx,
    project: ProjectRow,
    names: readonly NewDomainRow[],
    request: AdditionRequest,
  ): Promise<ReadonlyMap<string, Addition>> {
    // Of a name that is there twice, the first mention counts.
    const wanted = new Map<string, NewDomainRow>();
    for (const each of names) if (!wanted.has(each.name)) wanted.set(each.name, each);
    const kept = await this.domains.findKept(tx, project.organizationId, [...wanted.keys()]);
    const fresh = [...wanted.values()].filter(({ name }) => !kept.has(name));
    const unforwardable = await this.findUnforwardable(tx, project, fresh);
    const admissible = fresh.map(({ name }) => name).filter((name) => !unforwardable.has(name));
    const refused = new Map([...unforwardable, ...(await this.admission.findRefused(tx, project, admissible))]);
    const admitted = fresh.filter(({ name }) => !refused.has(name));
    const created = await this.insertion.insertAll(tx, project, admitted, request);
    if (created.size > 0) await this.announce(tx, project, [...created.values()]);
    await this.liftExclusions(tx, project, [...created.keys()]);
    return new Map(
      [...wanted.values()].map((each) => {
        const { name } = each;
        return [
          name,
          outcomeOf(each, project.id, { id: created.get(name), error: refused.get(name), kept: kept.get(name) }),
        ];
      }),
    );
  }

  /** The names whose metadata the application of the project could not be told, and the refusals. */
  private async findUnforwardable(
    tx: Tx,
    { id: projectId }: ProjectRow,
    names: readonly NewDomainRow[],
  ): Promise<ReadonlyMap<string, RequestError>> {
    if (names.every(({ metadata }) => metadata === undefined)) return new Map();
    const { metadataKeys = [] } = (await this.origins.find({ projectId, domainId: null }, tx)) ?? {};
    return new Map(
      names.flatMap(({ name, metadata = {} }) => {
        const error = findUnforwardable(metadata, {}, [metadataKeys]);
        return error === null ? [] : [[name, error]];
      }),
    );
  }

  /**
   * A name that is added is no longer excluded by a wildcard of the organization. Of another project, whose lock is not held, the
   * wildcard is checked now, which publishes it.
   */
  private async liftExclusions(tx: Tx, project: ProjectRow, names: readonly string[]): Promise<void> {
    const lifted = names.length === 0 ? [] : await this.exclusions.lift(tx, project.organizationId, names);
    const own = lifted.filter(({ projectId }) => projectId === project.id).map(({ name }) => name);
    if (own.length > 0) await this.routes.publish(tx, [{ project, names: own }]);
    const others = new Set(lifted.filter(({ projectId }) => projectId !== project.id).map(({ id }) => id));
    const cause = { isRequested: true, hasCertificate: true, hasAlert: false };
    const work = { dns: { dueAt: new Date() } };
    await this.work.scheduleAll(
      tx,
      [...others].toSorted().map((domainId) => ({ domainId, work, traceParent: null, cause })),
    );
  }

  private async announce(tx: Tx, { id: projectId, organizationId }: ProjectRow, ids: readonly string[]): Promise<void> {
    const occurrence = { type: 'domain.added', organizationId, projectId, at: new Date() } as const;
    await this.occurrences.record(
      tx,
      ids.map((domainId) => ({ ...occurrence, domainId })),
    );
  }
}

interface Found {
  readonly id: string | undefined;
  readonly error: RequestError | undefined;
  readonly kept: KeptDomain | undefined;
}

function outcomeOf(name: NewDomainRow, projectId: string, { id, error, kept }: Found): Addition {
  if (id !== undefined) return { kind: 'created', id };
  if (error !== undefined) return { kind: 'refused', error };
  if (kept?.projectId === projectId) return { kind: 'exists', id: kept.id };
  // Another project has it, perhaps since a moment ago: only additions to this project wait for its lock.
  return { kind: 'refused', error: domainExists(name) };
}

function domainExists(name: Pick<ValidName, 'name' | 'unicodeName'>): RequestError {
  return RequestError.ofField(
    'domain_exists',
    'name',
    `${displayName(name)} is already a domain of your organization.`,
  );
}

/** Status of the permanent redirect from the name of a pair that was not requested to the other. */
const PAIR_STATUS = 301;

/** Adds names to a project: one, or an apex together with its `www.` name. */
@Injectable()
export class AddDomainService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly admission: DomainAdmission,
    private readonly additions: DomainAdditions,
    private readonly routes: RoutePublisher,
    private readonly reading: DomainsService,
  ) {}

  /**
   * Adds the names, with the same labels, and starts to poll their DNS, in one transaction.
   * @returns the requested domain; `pairedWith` has the id of the other name
   */
  async addDomain(db: Database, principal: Principal, projectId: string, body: NewDomain): Promise<Domain> {
    const { name, pair, externalId, metadata } = body;
    await this.projects.get(principal.organizationId, projectId, db);
    const requested = this.admission.parse(name);
    const paired = pair ? this.admission.parsePairedName(requested) : null;
    this.admission.requireIncluded(principal.limits);

    const add = async (tx: Tx) => {
      const project = await this.projects.lock(tx, projectId);
      const names = paired === null ? [requested] : [requested, paired];
      const labelled = names.map((each) => ({ ...each, externalId, metadata }));
      const request = { apiKeyId: principal.apiKeyId, together: names.length };
      const additions = await this.additions.addNames(tx, project, labelled, request);
      const added = requireCreated(requested, additions.get(requested.name));
      if (paired !== null) {
        requireCreated(paired, additions.get(paired.name));
        await this.redirectPaired(tx, project, { from: paired.name, to: requested.name });
      }
      return added;
    };
    const id = await this.transactions.run([projectId], add, db);
    return this.reading.readDomain(projectId, id, db);
  }

  private async redirectPaired(
    tx: Tx,
    project: ProjectRow,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<void> {
    const { primary = to, redirects } = project.domainConfig.domains;
    if (redirects.length >= MAX_REDIRECTS) throw new RequestError('domain_limit_reached', tooManyRedirects);
    const domainConfig: DomainConfig = {
      ...project.domainConfig,
      domains: { primary, redirects: [...redirects, { from, to, status: PAIR_STATUS }] },
    };
    await this.projects.setDomainConfigs(tx, [{ id: project.id, domainConfig }]);
    await this.routes.publish(tx, [{ project: { ...project, domainConfig }, names: [from, to] }]);
  }
}

const tooManyRedirects =
  `the project has ${MAX_REDIRECTS} redirects, and a pair adds one; leave out "pair", or remove a redirect from the ` +
  'configuration of the domains';

/** The id of a new domain. @throws RequestError when the name was refused, or the project has it */
function requireCreated(name: ValidName, addition: Addition | undefined): string {
  if (addition?.kind === 'created') return addition.id;
  throw addition?.kind === 'refused' ? addition.error : domainExists(name);
}
