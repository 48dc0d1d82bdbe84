import { Injectable } from '@nestjs/common';
import { storedNameOf } from '@pets/domains';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable } from '../access/suspensions/suspensions.repository.js';
import { type Principal } from '../http/principal.js';
import { DomainHistoryRepository } from '../names/domain-history.repository.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { WildcardExclusionsRepository } from '../names/wildcard-exclusions.repository.js';
import { ProjectsRepository, ProjectTransactions } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';

/** Lets a wildcard serve a name again that it excluded. */
@Injectable()
export class LiftExclusionService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly exclusions: WildcardExclusionsRepository,
    private readonly routes: RoutePublisher,
    private readonly history: DomainHistoryRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws RequestError `not_found` when the wildcard does not exclude the name */
  async lift(
    { organizationId, apiKeyId }: Principal,
    projectId: string,
    idOrName: string,
    written: string,
  ): Promise<void> {
    await this.projects.get(organizationId, projectId);
    const { id } = await this.domains.get(projectId, idOrName);
    const name = storedNameOf(written) ?? written;
    await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const { state, suspensions } = await this.domains.getLocked(tx, projectId, id);
      requireChangeable(suspensions);
      if (state === 'removed' || !(await this.exclusions.delete(tx, id, name)))
        throw new RequestError('not_found', 'The wildcard does not exclude this name.');
      const line = { type: 'owner.exclusion_lifted', from: state, to: state, detail: `serves ${name} again` };
      await this.history.recordAll(tx, [{ domain: { id, projectId }, line: { ...line, apiKeyId, at: new Date() } }]);
      const subject = { kind: 'domain', id } as const;
      const detail = { projectId, exclusionLifted: name };
      await this.audit.record(tx, { organizationId, type: 'domain.changed', subject, detail });
      await this.routes.publish(tx, [{ project, names: [name] }]);
    });
  }
}
