import { Injectable } from '@nestjs/common';
import type { SignInRefusal } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { LRUCache } from 'lru-cache';
import { MemoryWindowCounter } from '../../http/rate-limiter.js';
import { AuditLog } from '../audit/audit-log.js';
import { actAs, type Requester } from '../audit/requester.js';
import type { Subject } from '../people/people.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/** Lines of one organization in an hour and process: strangers must not fill its log. */
const MAX_AN_HOUR = 20;
/** Refusals that are remembered; the oldest is forgotten first. */
const MAX_REMEMBERED = 10_000;

export interface Refusal {
  readonly organizationId: string;
  /** The member, or former member; null for a stranger. */
  readonly personId: string | null;
  readonly reason: SignInRefusal['reason'];
  readonly invitation?: string | undefined;
}

/** Refused sign-ins in the audit log of the organization that they concern: one an hour for each identity and reason. */
@Injectable()
export class RefusedSignIns {
  private readonly recorded = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: HOUR_MS });
  private readonly counts = new MemoryWindowCounter(HOUR_MS);

  constructor(private readonly audit: AuditLog) {}

  async record(
    tx: Tx,
    { issuer, subject }: Subject,
    { organizationId, personId, reason, invitation }: Refusal,
    { address, requestId }: Pick<Requester, 'address' | 'requestId'>,
  ): Promise<void> {
    if (!(await this.isWithinLimit(organizationId, JSON.stringify([organizationId, reason, issuer, subject])))) return;
    const kind = personId === null ? 'system' : 'person';
    const requester: Requester = { kind, apiKeyId: null, personId, name: null, address, requestId };
    await actAs(
      () => requester,
      () =>
        this.audit.record(tx, {
          organizationId,
          type: 'organization.sign_in_refused',
          subject: { kind: 'organization', id: organizationId },
          detail: { reason, ...(invitation !== undefined && { invitation }) },
        }),
    );
  }

  private async isWithinLimit(organizationId: string, attempt: string): Promise<boolean> {
    if (this.recorded.has(attempt)) return false;
    const { isAdded } = await this.counts.addCost(organizationId, 1, MAX_AN_HOUR);
    if (isAdded) this.recorded.set(attempt, true);
    return isAdded;
  }
}
