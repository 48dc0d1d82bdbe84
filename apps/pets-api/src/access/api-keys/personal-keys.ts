/**
 * The keys that a person made, and those made with them. Each key has the person at its beginning (`person_id`), which it
 * inherits when it is created, so a key between that was deleted breaks no chain. What becomes of them when the person leaves
 * or gets a lower role is decided here, in transactions that have locked the organization, as each creation of a key does.
 */
import { Injectable } from '@nestjs/common';
import {
  fieldError,
  MAX_LISTED_KEYS,
  scopesOfRole,
  type FieldError,
  type RemovePersonQuery,
  type Role,
  type Scope,
  type SomeApiKeys,
} from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { missingScopes } from '../../http/bearer-errors.js';
import { isValidAt } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

/** A valid key. */
interface PersonalKey {
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly scopes: readonly Scope[];
}

interface KeyOwner {
  readonly id: string;
  readonly organizationId: string;
}

@Injectable()
export class PersonalKeys {
  constructor(private readonly keys: ApiKeysService) {}

  /**
   * Revokes or keeps the keys of somebody who is removed.
   * @param own the scopes of the caller: to revoke a key one needs its scopes
   * @returns the keys that stay
   * @throws RequestError `keys_undecided` if there are keys and no decision, `forbidden`
   */
  async decide(
    tx: Tx,
    person: KeyOwner,
    decision: RemovePersonQuery['keys'],
    own: readonly Scope[],
    now: Date,
  ): Promise<readonly PersonalKey[]> {
    const keys = await this.list(tx, person, now);
    if (decision === 'revoke') {
      requireScopesOfKeys(keys, own);
      await this.revoke(tx, person, keys, 'person_removed', now);
      return [];
    }
    if (decision === undefined && keys.length > 0) throw undecided(keys);
    await tx
      .updateTable('api_keys')
      .set({ left_behind_at: null })
      .where('organization_id', '=', person.organizationId)
      .where('person_id', '=', person.id)
      .where('left_behind_at', 'is not', null)
      .execute();
    return keys;
  }

  /** Lets owners decide about the keys of somebody whom a claim removed. @returns them */
  async leaveBehind(tx: Tx, person: KeyOwner, now: Date): Promise<readonly PersonalKey[]> {
    const keys = await this.list(tx, person, now);
    if (keys.length > 0)
      await tx.updateTable('api_keys').set({ left_behind_at: now }).where('id', 'in', idsOf(keys)).execute();
    return keys;
  }

  /** Whether a removed person left keys behind about which nobody has decided. */
  async hasLeftBehind(tx: Tx, { id, organizationId }: KeyOwner, now: Date): Promise<boolean> {
    const found = await tx
      .selectFrom('api_keys')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('person_id', '=', id)
      .where('left_behind_at', 'is not', null)
      .where(isValidAt(now))
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  /**
   * Ends keys with more scopes than the new role of their person.
   * @param own the scopes of the caller; null if a claim changes the role
   * @returns them
   */
  async endExceeding(
    tx: Tx,
    person: KeyOwner,
    role: Role,
    own: readonly Scope[] | null,
    now: Date,
  ): Promise<readonly PersonalKey[]> {
    const allowed: readonly Scope[] = scopesOfRole[role];
    const exceeding = (await this.list(tx, person, now)).filter(({ scopes }) =>
      scopes.some((scope) => !allowed.includes(scope)),
    );
    if (own !== null) requireScopesOfKeys(exceeding, own);
    await this.revoke(tx, person, exceeding, 'person_demoted', now);
    return exceeding;
  }

  /** Somebody who comes back is a new person with the keys of the former one. */
  async takeOver(tx: Tx, { id, organizationId }: KeyOwner, formerIds: readonly string[]): Promise<void> {
    if (formerIds.length === 0) return;
    await tx
      .updateTable('api_keys')
      .set({ person_id: id, left_behind_at: null })
      .where('organization_id', '=', organizationId)
      .where('person_id', 'in', formerIds)
      .execute();
  }

  private list(tx: Tx, { id, organizationId }: KeyOwner, now: Date): Promise<PersonalKey[]> {
    return tx
      .selectFrom('api_keys')
      .select(['id', 'name', 'display', 'scopes'])
      .where('organization_id', '=', organizationId)
      .where('person_id', '=', id)
      .where(isValidAt(now))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  private async revoke(
    tx: Tx,
    { id, organizationId }: KeyOwner,
    keys: readonly PersonalKey[],
    reason: 'person_removed' | 'person_demoted',
    now: Date,
  ): Promise<void> {
    if (keys.length > 0)
      await this.keys.revokeAll(tx, { organizationId, ids: idsOf(keys), reason, detail: { person: id } }, now);
  }
}

function idsOf(keys: readonly PersonalKey[]): string[] {
  return keys.map(({ id }) => id);
}

/** Shortens a list of keys for an answer. */
export function someOf(keys: readonly Pick<PersonalKey, 'id' | 'name' | 'display'>[]): SomeApiKeys {
  const first = keys.slice(0, MAX_LISTED_KEYS).map(({ id, name, display }) => ({ id, name, display }));
  return { total: keys.length, first };
}

/** @throws RequestError `forbidden`: to revoke a key one needs its scopes */
export function requireScopesOfKeys(keys: readonly Pick<PersonalKey, 'scopes'>[], own: readonly Scope[]): void {
  const missing = new Set(keys.flatMap(({ scopes }) => scopes).filter((scope) => !own.includes(scope)));
  if (missing.size > 0) throw missingScopes([...missing]);
}

function undecided(keys: readonly PersonalKey[]): RequestError {
  const { total, first } = someOf(keys);
  const [listed, ...others] = first.map(({ id, name, display }) => `“${name}” (${display}, id ${id})`);
  const count = total === 1 ? '1 API key of this person is' : `${total} API keys of this person are`;
  const errors: [FieldError, ...FieldError[]] = [
    fieldError('keys', `must be "revoke" or "keep": ${count} still valid, ${listed}`),
    ...others.map((key) => fieldError('keys', `${key} is still valid`)),
  ];
  return RequestError.ofFields('keys_undecided', errors);
}
