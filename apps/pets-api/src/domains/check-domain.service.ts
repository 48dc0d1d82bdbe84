import { Inject, Injectable } from '@nestjs/common';
import type { AuditEventType, Domain } from '@pets/contracts';
import { evaluateReverify } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable } from '../access/suspensions/suspensions.repository.js';
import { CertificateAttemptsRepository } from '../certificates/certificate-attempts.repository.js';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { OpenOrdersRepository } from '../certificates/open-orders.repository.js';
import type { Principal } from '../http/principal.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import type { Interpretation } from '../lifecycle/result-interpreter.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { ProjectsRepository, ProjectTransactions } from '../projects/projects.repository.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { DomainsService } from './domains.service.js';

/** Decides when an owner may request another attempt at a certificate. */
@Injectable()
export class ReverifyPolicy {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'REVERIFY_AFTER'>,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    private readonly attempts: CertificateAttemptsRepository,
  ) {}

  /** @throws RequestError `reverify_too_early`, with `Retry-After` where the time is known */
  async requireAllowed(tx: Tx, domain: DomainRow, now: Date): Promise<void> {
    const issuance = await this.work.find(tx, domain.id, 'issuance');
    const facts = {
      state: domain.state,
      hasCertificate: (await this.certificates.findNewest([domain.id], tx)).has(domain.id),
      isAttemptInFlight: issuance?.leaseUntil != null && issuance.leaseUntil > now,
      hasLastAttemptFailed: await this.attempts.hasLastFailed(tx, domain.id, domain.generation),
      generationBeganAt: domain.generationBeganAt,
    };
    const verdict = evaluateReverify(facts, this.config.REVERIFY_AFTER, now);
    if (verdict.allowed) return;
    const headers: Record<string, string> =
      verdict.retryAfterSeconds === null ? {} : { 'retry-after': String(verdict.retryAfterSeconds) };
    throw new RequestError('reverify_too_early', verdict.reason, headers);
  }
}

/** The domain that an owner wants checked, and the caller. */
interface OwnerRequest {
  readonly db: Database;
  readonly principal: Principal;
  readonly projectId: string;
  readonly idOrName: string;
}

/** Requests of an owner for a DNS check, or for another attempt at a certificate. */
@Injectable()
export class CheckDomainService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly lifecycle: LifecycleService,
    private readonly policy: ReverifyPolicy,
    private readonly orders: OpenOrdersRepository,
    private readonly work: WorkRepository,
    private readonly reading: DomainsService,
    private readonly audit: AuditLog,
  ) {}

  /** Schedules a DNS check now, and restarts polling. Several requests before it runs make one check. */
  async verify(db: Database, principal: Principal, projectId: string, idOrName: string): Promise<Domain> {
    return this.applyRequest({ db, principal, projectId, idOrName }, async (tx, domain, now) => {
      await this.record(tx, domain, 'domain.verify_requested');
      return { trigger: { type: 'owner.verify' }, change: { requestedAt: now } };
    });
  }

  /** Schedules another certificate attempt. @throws RequestError `reverify_too_early` with `Retry-After` */
  async reverify(db: Database, principal: Principal, projectId: string, idOrName: string): Promise<Domain> {
    return this.applyRequest({ db, principal, projectId, idOrName }, async (tx, domain, now) => {
      await this.policy.requireAllowed(tx, domain, now);
      await this.record(tx, domain, 'domain.reverify_requested');
      const hasOpenOrder = (await this.orders.listDomains(tx, [domain.id])).length > 0;
      return { trigger: { type: 'owner.reverify', hasOpenOrder } };
    });
  }

  /** Checks the DNS of a domain sooner, because somebody looks at it now. Changes nothing else. */
  async watch(
    db: Database,
    { organizationId }: Pick<Principal, 'organizationId'>,
    projectId: string,
    idOrName: string,
  ): Promise<Domain> {
    await this.projects.get(organizationId, projectId, db);
    const domain = await this.reading.readDomain(projectId, idOrName, db);
    if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
    const plannedAt = domain.suspensions.length > 0 ? null : await this.work.checkWatched(domain.id, db);
    return plannedAt === null ? domain : { ...domain, dns: { ...domain.dns, nextCheckAt: plannedAt.toISOString() } };
  }

  private async applyRequest(
    { db, principal, projectId, idOrName }: OwnerRequest,
    interpret: (tx: Tx, domain: DomainRow, now: Date) => Promise<Interpretation>,
  ): Promise<Domain> {
    await this.projects.get(principal.organizationId, projectId, db);
    const { id } = await this.domains.get(projectId, idOrName, db);
    const apply = async (tx: Tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, projectId, id);
      if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
      requireChangeable(domain.suspensions);
      const now = new Date();
      const interpretation = await interpret(tx, domain, now);
      await this.lifecycle.applyOwnerRequest(tx, project, domain, {
        ...interpretation,
        apiKeyId: principal.apiKeyId,
        now,
      });
    };
    await this.transactions.run([projectId], apply, db);
    return this.reading.readDomain(projectId, id, db);
  }

  private async record(
    tx: Tx,
    { id, organizationId, projectId, name }: DomainRow,
    type: AuditEventType,
  ): Promise<void> {
    const subject = { kind: 'domain', id } as const;
    await this.audit.record(tx, { organizationId, type, subject, detail: { name, projectId } });
  }
}
