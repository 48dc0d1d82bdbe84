import { Inject, Injectable } from '@nestjs/common';
import type { AuditEventType, Domain } from '@pets/contracts';
import { evaluateReverify } from '@pets/domains';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { CertificatesRepository } from './certificates/certificates.repository.js';
import { AuditLog } from '../access/audit/audit-log.js';
import type { Config } from '../platform/config.js';
import { EdgeAcknowledgements } from './edge-ports.js';
import { StoppingTraffic } from './stopping-traffic.service.js';
import type { Principal } from '../http/principal.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { requireChangeable } from '../access/suspensions/suspensions.js';
import { AttemptsRepository } from './attempts.repository.js';
import type { HistoryOf } from './history/domain-history.repository.js';
import { DomainPresenter } from './domain-presenter.js';
import type { DomainRow } from './domain-row.js';
import { DomainsRepository } from './domains.repository.js';
import { LifecycleService } from './lifecycle/lifecycle.service.js';
import { WorkRepository } from './dispatch/work.repository.js';

/** How long a removal waits for the edges before it answers that some are pending. */
const REMOVAL_WAIT_MS = 1_000;

/** What an owner can do with a domain that was added: see `domain-additions.service.ts` for that. */
@Injectable()
export class DomainsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    private readonly attempts: AttemptsRepository,
    private readonly acks: EdgeAcknowledgements,
    private readonly stopping: StoppingTraffic,
    private readonly lifecycle: LifecycleService,
    private readonly presenter: DomainPresenter,
    private readonly audit: AuditLog,
  ) {}

  async list(organizationId: string, projectId: string): Promise<Domain[]> {
    await this.projects.get(organizationId, projectId);
    return this.presenter.present(await this.domains.list(projectId));
  }

  async get(organizationId: string, projectId: string, idOrName: string): Promise<Domain> {
    await this.projects.get(organizationId, projectId);
    return this.presenter.presentOne(await this.domains.get(projectId, idOrName));
  }

  /** Whose history is read, once it is known that it may be: a domain's, or the project's when none is named. */
  async historyOf(organizationId: string, projectId: string, idOrName?: string): Promise<HistoryOf> {
    await this.projects.get(organizationId, projectId);
    if (idOrName === undefined) return { projectId };
    return { domainId: (await this.domains.get(projectId, idOrName)).id };
  }

  /** Asks for a DNS check now. Several clicks before it runs make one check; polling starts over. */
  async verify(db: Database, principal: Principal, projectId: string, idOrName: string): Promise<Domain> {
    return this.click(db, { principal, projectId, idOrName }, async (tx, project, domain, by) => {
      const asked = { trigger: { type: 'owner.verify' }, change: { requestedAt: by.now } } as const;
      await this.record(tx, domain, 'domain.verify_requested');
      await this.lifecycle.applyClick(tx, project, domain, { ...asked, ...by });
    });
  }

  /** Asks for a fresh certificate attempt. @throws DomainError `reverify_too_early` with `Retry-After` */
  async reverify(db: Database, principal: Principal, projectId: string, idOrName: string): Promise<Domain> {
    return this.click(db, { principal, projectId, idOrName }, async (tx, project, domain, by) => {
      const { now } = by;
      const issuance = await this.work.find(tx, domain.id, 'issuance');
      const facts = {
        state: domain.state,
        hasCertificate: (await this.certificates.findNewest([domain.id], tx)).has(domain.id),
        isAttemptInFlight: issuance?.leaseUntil != null && issuance.leaseUntil > now,
        hasLastAttemptFailed: await this.attempts.hasLastFailed(tx, domain.id, domain.generation),
        generationBeganAt: domain.generationBeganAt,
      };
      const verdict = evaluateReverify(facts, this.config.REVERIFY_AFTER, now);
      if (!verdict.allowed) {
        const headers: Record<string, string> =
          verdict.retryAfterSeconds === null ? {} : { 'retry-after': String(verdict.retryAfterSeconds) };
        throw new RequestError('reverify_too_early', verdict.reason, headers);
      }
      await this.record(tx, domain, 'domain.reverify_requested');
      await this.lifecycle.applyClick(tx, project, domain, { trigger: { type: 'owner.reverify' }, ...by });
    });
  }

  /**
   * Removes a domain from any state, and waits for the edges. Repeating it asks again whether they have stopped.
   * @returns null once no edge can serve the name any more, else the domain with how many still may
   */
  async remove({ organizationId, apiKeyId }: Principal, projectId: string, idOrName: string): Promise<Domain | null> {
    await this.projects.get(organizationId, projectId);
    const { id } = await this.domains.get(projectId, idOrName);
    const { version, isRepeated } = await this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, id);
      const before = domain.removedVersion === null ? null : Number(domain.removedVersion);
      if (domain.state === 'removed') return { version: before, isRepeated: true };
      requireChangeable(domain.suspensions);
      await this.record(tx, domain, 'domain.removed');
      const by = { trigger: { type: 'owner.removed' }, apiKeyId, now: new Date() } as const;
      return { version: await this.lifecycle.applyClick(tx, project, domain, by), isRepeated: false };
    });
    if (version === null) return null;
    if ((await this.acks.waitUntilStopped(version, REMOVAL_WAIT_MS)) === 0) {
      // After a 202 the history says when traffic has stopped, whoever asks again.
      if (!isRepeated) await this.stopping.markAnswered(id);
      return null;
    }
    return this.presenter.presentOne(await this.domains.get(projectId, id));
  }

  private async record(
    tx: Tx,
    { id, organizationId, projectId, name }: DomainRow,
    type: AuditEventType,
  ): Promise<void> {
    const subject = { kind: 'domain', id } as const;
    await this.audit.record(tx, { organizationId, type, subject, detail: { name, projectId } });
  }

  private async click(
    db: Database,
    on: { readonly principal: Principal; readonly projectId: string; readonly idOrName: string },
    act: (tx: Tx, project: ProjectRow, domain: DomainRow, by: { apiKeyId: string; now: Date }) => Promise<void>,
  ): Promise<Domain> {
    const { principal, projectId, idOrName } = on;
    await this.projects.get(principal.organizationId, projectId, db);
    const { id } = await this.domains.get(projectId, idOrName, db);
    await inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, id);
      if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
      requireChangeable(domain.suspensions);
      await act(tx, project, domain, { apiKeyId: principal.apiKeyId, now: new Date() });
    });
    return this.presenter.presentOne(await this.domains.get(projectId, id, db), db);
  }
}
