import { Inject, Injectable } from '@nestjs/common';
import {
  scopesMissingFor,
  scopesOfRole,
  type AuditDetail,
  type RemovePersonQuery,
  type Role,
  type Scope,
  type SomeApiKeys,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Principal } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { PersonalKeys, requireScopesOfKeys, someOf } from '../api-keys/personal-keys.js';
import { PrincipalCache } from '../api-keys/authenticator.js';
import { AuditLog } from '../audit/audit-log.js';
import { invalidApiKey, missingScopes } from '../../http/bearer-errors.js';
import { LimitsService } from '../limits/limits.service.js';
import { InvitationsRepository } from './invitations.repository.js';
import { PeopleRepository, type PersonRow } from './people.repository.js';

/** Whom a change of a role concerns, for its answer. */
interface ChangedRole {
  readonly person: PersonRow;
  readonly revoked: SomeApiKeys;
}

interface RoleChange {
  readonly role: Role;
  /** The scopes of the caller; null if the identity provider or an invitation changes the role. */
  readonly own: readonly Scope[] | null;
  /** Cause of the change in the audit log, if it is not the actor. */
  readonly cause?: AuditDetail;
}

/** Ids of keys that a line of the log has. */
const MAX_LOGGED_KEYS = 100;

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
    private readonly personalKeys: PersonalKeys,
    private readonly limits: LimitsService,
    private readonly cache: PrincipalCache,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** @throws RequestError `not_found`, `forbidden` without the scopes of both roles, `conflict` for the last owner */
  async changeRole(caller: Principal, id: string, role: Role, now: Date): Promise<ChangedRole> {
    const changed = await this.db.transaction().execute(async (tx) => {
      const scopes = await this.lock(tx, caller, now);
      const person = await this.people.lock(tx, caller.organizationId, id);
      if (person === null) throw noSuchPerson();
      requireScopesOf(person.role, scopes);
      requireScopesOf(role, scopes);
      const revoked = await this.setRole(tx, person, { role, own: scopes }, now);
      if (revoked === null)
        throw new RequestError('conflict', 'This is the last owner. Make somebody else an owner first.');
      return { person: { ...person, role }, revoked };
    });
    this.cache.forgetAll();
    return changed;
  }

  /**
   * Removes a person, or decides about the keys that a removed one left behind.
   * @throws RequestError `not_found`, `forbidden` without the scopes of the role, `conflict` for the last owner, `keys_undecided`
   */
  async remove(caller: Principal, id: string, keys: RemovePersonQuery['keys'], now: Date): Promise<void> {
    const { organizationId } = caller;
    await this.db.transaction().execute(async (tx) => {
      const scopes = await this.lock(tx, caller, now);
      const person = await this.people.lock(tx, organizationId, id);
      if (person === null) return this.decideLeftBehind(tx, { id, organizationId }, keys, scopes, now);
      requireScopesOf(person.role, scopes);
      if (await this.isLastOwner(tx, person))
        throw new RequestError('conflict', 'The last owner cannot be removed. Make somebody else an owner first.');
      const kept = await this.personalKeys.decide(tx, person, keys, scopes, now);
      await this.end(tx, person, 'request', now);
      await this.recordRemoval(tx, person, { ...(keys && { keys }), ...keptDetail(kept) });
    });
    this.cache.forgetAll();
  }

  /**
   * Ends the membership of a person because of a claim, in a transaction that has locked the organization. Their keys stay, since
   * nobody has decided about them; owners get a notice. The last owner stays.
   */
  async endByClaim(tx: Tx, person: PersonRow, claim: string, now: Date): Promise<void> {
    if (await this.isLastOwner(tx, person)) return;
    const kept = await this.personalKeys.leaveBehind(tx, person, now);
    await this.end(tx, person, 'claim', now);
    await this.recordRemoval(tx, person, { by: 'claim', claim, ...keptDetail(kept) });
  }

  /**
   * Sets the role of a person in a transaction that has locked the organization. Effective at once, also for open sessions. Keys
   * with more scopes end.
   * @returns these keys; null for the last owner, who stays one
   */
  async setRole(tx: Tx, person: PersonRow, { role, own, cause }: RoleChange, now: Date): Promise<SomeApiKeys | null> {
    if (person.role === role) return someOf([]);
    if (await this.isLastOwner(tx, person)) return null;
    const { id, organizationId, apiKeyId } = person;
    await this.people.setRole(tx, id, role);
    await this.keys.setScopesOfPerson(tx, apiKeyId, scopesOfRole[role]);
    const isDemotion = scopesMissingFor(person.role, scopesOfRole[role]).length > 0;
    // With more rights later, invitations from before would be valid again.
    if (isDemotion) await this.invitations.deleteOfKey(tx, apiKeyId);
    const ended = isDemotion ? await this.personalKeys.endExceeding(tx, person, role, own, now) : [];
    const detail = { from: person.role, to: role, ...cause };
    await this.audit.record(tx, { ...eventOn(organizationId, id), type: 'person.role_changed', detail });
    return someOf(ended);
  }

  /** Decides about the keys of a person who was removed. The audit log records the decision as a change. */
  private async decideLeftBehind(
    tx: Tx,
    person: { readonly id: string; readonly organizationId: string },
    keys: RemovePersonQuery['keys'],
    scopes: readonly Scope[],
    now: Date,
  ): Promise<void> {
    if (!(await this.personalKeys.hasLeftBehind(tx, person, now))) throw noSuchPerson();
    const kept = await this.personalKeys.decide(tx, person, keys, scopes, now);
    requireScopesOfKeys(kept, scopes);
    await this.recordRemoval(tx, person, { ...(keys && { keys }), ...keptDetail(kept) });
  }

  /** Locks organization and caller. @returns the scopes of the caller */
  private async lock(tx: Tx, { organizationId, apiKeyId }: Principal, now: Date): Promise<readonly Scope[]> {
    await this.limits.lock(tx, organizationId);
    const key = await this.keys.lockValid(tx, apiKeyId, now);
    if (key === null) throw invalidApiKey();
    return key.scopes;
  }

  private async end(tx: Tx, { id, apiKeyId }: PersonRow, by: 'request' | 'claim', now: Date): Promise<void> {
    await this.invitations.deleteOfKey(tx, apiKeyId);
    await this.keys.revokeOfPerson(tx, apiKeyId, now);
    await this.people.markRemoved(tx, id, by, now);
  }

  private async recordRemoval(
    tx: Tx,
    { id, organizationId, role }: { readonly id: string; readonly organizationId: string; readonly role?: Role },
    more: AuditDetail,
  ): Promise<void> {
    const detail = { ...(role && { role }), ...more };
    await this.audit.record(tx, { ...eventOn(organizationId, id), type: 'person.removed', detail });
  }

  private async isLastOwner(tx: Tx, { organizationId, role }: PersonRow): Promise<boolean> {
    return role === 'owner' && (await this.people.count(tx, organizationId, 'owner')) === 1;
  }
}

function keptDetail(keys: readonly { readonly id: string }[]): AuditDetail {
  if (keys.length === 0) return {};
  return { keptKeys: keys.length, keptKeyIds: keys.slice(0, MAX_LOGGED_KEYS).map(({ id }) => id) };
}

function noSuchPerson(): RequestError {
  return new RequestError('not_found', 'There is no such person.');
}

function eventOn(organizationId: string, id: string) {
  return { organizationId, subject: { kind: 'person', id } } as const;
}

/** @throws RequestError `forbidden`: nobody gives or takes more than they have */
export function requireScopesOf(role: Role, own: readonly Scope[]): void {
  const missing = scopesMissingFor(role, own);
  if (missing.length > 0) throw missingScopes(missing);
}
