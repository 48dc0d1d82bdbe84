import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { LOG } from '../platform/providers.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { WorkRepository } from './dispatch/work.repository.js';
import type { ValidName } from './domain-admission.js';
import { DomainsRepository } from './domains.repository.js';
import { DomainHistoryRepository } from './history/domain-history.repository.js';

const TOKEN_BYTES = 20;

/** Inserts the rows of a new domain: its claim, the domain, the first DNS check, history and audit event. */
@Injectable()
export class DomainInsertion {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly work: WorkRepository,
    private readonly history: DomainHistoryRepository,
    private readonly audit: AuditLog,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @returns its id */
  async insert(tx: Tx, project: ProjectRow, parsed: ValidName, apiKeyId: string): Promise<string> {
    const now = new Date();
    const { organizationId, id: projectId } = project;
    const { name, unicodeName, apexName } = parsed;
    const tokens = { targetToken: token('hex'), ownershipToken: token('base64url') };
    await this.domains.claim(tx, { organizationId, name, ...tokens });
    const id = await this.domains.insert(tx, { name, unicodeName, apexName, organizationId, projectId, now });
    await this.work.schedule(tx, id, { dns: { dueAt: now, failuresInARow: 0 } });
    const line = {
      type: 'owner.added',
      from: null,
      to: 'awaiting_dns',
      detail: 'added: waiting for its DNS record',
    } as const;
    await this.history.record(tx, { id, projectId }, { ...line, apiKeyId, at: now });
    const event = { organizationId, type: 'domain.added', subject: { kind: 'domain', id } } as const;
    await this.audit.record(tx, { ...event, detail: { name, projectId } });
    const { type: trigger, from, to } = line;
    this.log.info({ domainId: id, generation: 1, trigger, from, to }, 'domain changed');
    return id;
  }
}

/** Hex for a token that becomes a DNS label, since DNS ignores case. */
function token(encoding: 'hex' | 'base64url'): string {
  return randomBytes(TOKEN_BYTES).toString(encoding);
}
