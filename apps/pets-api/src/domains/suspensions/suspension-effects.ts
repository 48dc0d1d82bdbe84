import { Injectable } from '@nestjs/common';
import type { SuspensionCause } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { AuditLog, type NewAuditEvent } from '../../access/audit/audit-log.js';
import type {
  CoveredDomain,
  NewSuspension,
  SuspensionTarget,
} from '../../access/suspensions/suspensions.repository.js';
import { WorkRepository } from '../../schedule/work.repository.js';
import { DomainOccurrences } from '../../lifecycle/domain-occurrences.js';
import { DomainHistoryRepository } from '../../names/domain-history.repository.js';

/** Records a suspension or a resumption: audit event, history of the domains and webhook events. Resumes held work. */
@Injectable()
export class SuspensionEffects {
  constructor(
    private readonly audit: AuditLog,
    private readonly work: WorkRepository,
    private readonly history: DomainHistoryRepository,
    private readonly occurrences: DomainOccurrences,
  ) {}

  async suspended(
    tx: Tx,
    target: SuspensionTarget,
    domains: readonly CoveredDomain[],
    suspension: NewSuspension,
    now: Date,
  ): Promise<void> {
    await this.audit.record(tx, eventOf('suspended', target, domains, suspension));
    await this.record(tx, domains, 'domain.suspended', `suspended (${suspension.cause}): ${suspension.reason}`, now);
    await this.notifyEndpoints(tx, domains, 'domain.suspended', now);
  }

  async resumed(
    tx: Tx,
    target: SuspensionTarget,
    domains: readonly CoveredDomain[],
    cause: SuspensionCause,
    now: Date,
  ): Promise<void> {
    await this.audit.record(tx, eventOf('resumed', target, domains, { cause }));
    await this.work.resumeHeld(
      tx,
      domains.map(({ id }) => id),
    );
    const [stillSuspended, served] = partition(domains, ({ suspensions }) => suspensions.length > 0);
    await this.record(tx, stillSuspended, 'domain.resumed', `resumed (${cause}); still suspended`, now);
    await this.record(tx, served, 'domain.resumed', `resumed (${cause})`, now);
    await this.notifyEndpoints(tx, served, 'domain.resumed', now);
  }

  private async record(
    tx: Tx,
    domains: readonly CoveredDomain[],
    type: 'domain.suspended' | 'domain.resumed',
    detail: string,
    at: Date,
  ): Promise<void> {
    await this.history.recordAll(
      tx,
      domains.map((domain) => {
        const { state } = domain;
        return { domain, line: { type, from: state, to: state, detail, apiKeyId: null, at } };
      }),
    );
  }

  /** Notifies endpoints when a domain becomes suspended or is no longer suspended, whatever the causes. */
  private async notifyEndpoints(
    tx: Tx,
    domains: readonly CoveredDomain[],
    type: 'domain.suspended' | 'domain.resumed',
    at: Date,
  ): Promise<void> {
    const isOnlyCause = ({ suspensions }: CoveredDomain) => suspensions.length <= 1;
    await this.occurrences.record(
      tx,
      domains.filter(isOnlyCause).map(({ id: domainId, organizationId, projectId }) => {
        return { type, domainId, organizationId, projectId, at };
      }),
    );
  }
}

/** The subject is the domain where there is one: a name can stay suspended when its domain is removed. */
function eventOf(
  action: 'suspended' | 'resumed',
  { organizationId, projectId, name }: SuspensionTarget,
  [domain]: readonly CoveredDomain[],
  { cause, reason }: Pick<NewSuspension, 'cause'> & { readonly reason?: string },
): NewAuditEvent {
  const detail = { cause, ...(reason !== undefined && { reason }), ...(name !== undefined && { name }) };
  if (name !== undefined) {
    const id = domain?.id ?? name;
    return { organizationId, type: `domain.${action}`, subject: { kind: 'domain', id }, detail };
  }
  if (projectId !== undefined)
    return { organizationId, type: `project.${action}`, subject: { kind: 'project', id: projectId }, detail };
  return {
    organizationId,
    type: `organization.${action}`,
    subject: { kind: 'organization', id: organizationId },
    detail,
  };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
