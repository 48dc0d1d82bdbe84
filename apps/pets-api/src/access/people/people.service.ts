import { Inject, Injectable } from '@nestjs/common';
import { scopesMissingFor, scopesOfRole, type Role, type Scope } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Principal } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { PrincipalCache } from '../api-keys/principal-cache.js';
import { AuditLog } from '../audit/audit-log.js';
import { invalidApiKey } from '../authentication.js';
import { LimitsService } from '../limits/limits.service.js';
import { missingScopes } from '../../http/insufficient-scope.js';
import { InvitationsRepository } from './invitations.repository.js';
import { PeopleRepository, type PersonRow } from './people.repository.js';

/**
 * Roles and removals of people. Each change locks the organization first, so that two requests cannot remove the last two
 * owners at once, and then the key of the caller, whose scopes may have been taken a moment ago.
 */
@Injectable()
export class PeopleService {
  constructor(
    private readonly people: PeopleRepository,
    private readonly invitations: InvitationsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly limits: LimitsService,
    private readonly cache: PrincipalCache,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** @throws RequestError `not_found`, `forbidden` without the scopes of both roles, `conflict` for the last owner */
  async changeRole(caller: Principal, id: string, role: Role, now: Date): Promise<PersonRow> {
    const changed = await this.db.transaction().execute(async (tx) => {
      const { scopes, person } = await this.lock(tx, caller, id, now);
      requireScopesOf(person.role, scopes);
      requireScopesOf(role, scopes);
      if (!(await this.setRole(tx, person, role)))
        throw new RequestError('conflict', 'This is the last owner. Make somebody else an owner first.');
      return { ...person, role };
    });
    this.cache.forgetAll();
    return changed;
  }

  /** @throws RequestError `not_found`, `forbidden` without the scopes of the role, `conflict` for the last owner */
  async remove(caller: Principal, id: string, now: Date): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      const { scopes, person } = await this.lock(tx, caller, id, now);
      requireScopesOf(person.role, scopes);
      if (!(await this.endMembership(tx, person, 'request', now)))
        throw new RequestError('conflict', 'The last owner cannot be removed. Make somebody else an owner first.');
    });
    this.cache.forgetAll();
  }

  /**
   * Ends the membership of a person and their sessions, in a transaction that has locked the organization.
   * @returns false for the last owner, who stays
   */
  async endMembership(tx: Tx, person: PersonRow, by: 'request' | 'claim', now: Date): Promise<boolean> {
    if (await this.isLastOwner(tx, person)) return false;
    const { id, organizationId, apiKeyId, role } = person;
    await this.invitations.deleteOfKey(tx, apiKeyId);
    await this.keys.revokeOfPerson(tx, apiKeyId, now);
    await this.people.markRemoved(tx, id, by, now);
    const detail = { role, ...(by === 'claim' && { by }) };
    await this.audit.record(tx, { ...eventOn(organizationId, id), type: 'person.removed', detail });
    return true;
  }

  /**
   * Sets the role of a person in a transaction that has locked the organization. Effective at once, also for open sessions.
   * @returns false for the last owner, who stays one
   */
  async setRole(tx: Tx, person: PersonRow, role: Role): Promise<boolean> {
    if (person.role === role) return true;
    if (await this.isLastOwner(tx, person)) return false;
    const { id, organizationId, apiKeyId } = person;
    await this.people.setRole(tx, id, role);
    await this.keys.setScopesOfPerson(tx, apiKeyId, scopesOfRole[role]);
    // With more rights later, invitations from before would be valid again.
    if (scopesMissingFor(person.role, scopesOfRole[role]).length > 0) await this.invitations.deleteOfKey(tx, apiKeyId);
    const detail = { from: person.role, to: role };
    await this.audit.record(tx, { ...eventOn(organizationId, id), type: 'person.role_changed', detail });
    return true;
  }

  private async lock(tx: Tx, { organizationId, apiKeyId }: Principal, id: string, now: Date) {
    await this.limits.lock(tx, organizationId);
    const key = await this.keys.lockValid(tx, apiKeyId, now);
    if (key === null) throw invalidApiKey();
    const person = await this.people.lock(tx, organizationId, id);
    if (person === null) throw new RequestError('not_found', 'There is no such person.');
    return { scopes: key.scopes, person };
  }

  private async isLastOwner(tx: Tx, { organizationId, role }: PersonRow): Promise<boolean> {
    return role === 'owner' && (await this.people.count(tx, organizationId, 'owner')) === 1;
  }
}

function eventOn(organizationId: string, id: string) {
  return { organizationId, subject: { kind: 'person', id } } as const;
}

/** @throws RequestError `forbidden`: nobody gives or takes more than they have */
export function requireScopesOf(role: Role, own: readonly Scope[]): void {
  const missing = scopesMissingFor(role, own);
  if (missing.length > 0) throw missingScopes(missing);
}
