import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { NewInvitation } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Principal } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { sha256 } from '../../platform/hashes.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { AuditLog } from '../audit/audit-log.js';
import { invalidApiKey } from '../../http/bearer-errors.js';
import { LimitsService } from '../limits/limits.service.js';
import { InvitationsRepository, type InvitationRow } from './invitations.repository.js';
import { requireScopesOf } from './people.service.js';

const VALID_MS = 7 * 24 * 60 * 60 * 1_000;
/** Open invitations of one organization. */
const MAX_INVITATIONS = 100;
const TOKEN_BYTES = 32;

/** An invitation and its token, which is available only now. */
export interface CreatedInvitationRow {
  readonly token: string;
  readonly row: InvitationRow;
}

@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly limits: LimitsService,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * @param inviter null for the operator
   * @throws RequestError `forbidden` without the scopes of the role, `conflict` beyond the limit
   */
  async create(
    db: Database,
    organizationId: string,
    inviter: Pick<Principal, 'apiKeyId'> | null,
    { name, role }: NewInvitation,
    now: Date,
  ): Promise<CreatedInvitationRow> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(now.getTime() + VALID_MS);
    const apiKeyId = inviter?.apiKeyId ?? null;
    return inTransaction(db, async (tx) => {
      await this.limits.lock(tx, organizationId);
      if (apiKeyId !== null) {
        const key = await this.keys.lockValid(tx, apiKeyId, now);
        if (key === null) throw invalidApiKey();
        requireScopesOf(role, key.scopes);
      }
      await this.enforceLimit(tx, organizationId, now);
      const hash = sha256(token);
      const row = await this.invitations.insert(tx, { organizationId, name, role, hash, apiKeyId, expiresAt });
      const event = { ...eventOn(organizationId, row.id), type: 'invitation.created' } as const;
      await this.audit.record(tx, { ...event, detail: { name, role } });
      return { token, row };
    });
  }

  /** @throws RequestError `not_found`, `forbidden` without the scopes of the role */
  async delete(
    { organizationId, apiKeyId }: Pick<Principal, 'organizationId' | 'apiKeyId'>,
    id: string,
    now: Date,
  ): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      await this.limits.lock(tx, organizationId);
      const key = await this.keys.lockValid(tx, apiKeyId, now);
      if (key === null) throw invalidApiKey();
      const role = await this.invitations.delete(tx, organizationId, id);
      if (role === null) throw new RequestError('not_found', 'There is no such invitation.');
      requireScopesOf(role, key.scopes);
      await this.audit.record(tx, { ...eventOn(organizationId, id), type: 'invitation.deleted' });
    });
  }

  private async enforceLimit(tx: Tx, organizationId: string, now: Date): Promise<void> {
    await this.invitations.deleteUnusable(tx, organizationId, now);
    if ((await this.invitations.count(tx, organizationId)) >= MAX_INVITATIONS)
      throw new RequestError(
        'conflict',
        `The organization can have at most ${MAX_INVITATIONS} open invitations. Delete one first.`,
      );
  }
}

function eventOn(organizationId: string, id: string) {
  return { organizationId, subject: { kind: 'invitation', id } } as const;
}

/** The link for the invited person. The token is in the fragment, which browsers send to no server. */
export function invitationUrl(dashboardOrigin: string, token: string): string {
  return `${dashboardOrigin}/dashboard/invitation#${token}`;
}
