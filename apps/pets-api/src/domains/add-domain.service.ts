import { Injectable } from '@nestjs/common';
import { MAX_REDIRECTS, type Domain, type DomainConfig, type NewDomain } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Principal } from '../http/principal.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { DomainAdditions, domainExists, type Addition } from './domain-additions.js';
import { DomainAdmission, type ValidName } from './domain-admission.js';
import { DomainsService } from './domains.service.js';

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
