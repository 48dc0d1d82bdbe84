import { Inject, Injectable } from '@nestjs/common';
import type { Notice } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { isValidAt } from '../api-keys/api-keys.repository.js';
import { someOf } from '../api-keys/personal-keys.js';

const LEAK_SHOWN_MS = 7 * 24 * 60 * 60 * 1_000;
/** Maximum number of notices of each kind. */
const MAX_NOTICES = 20;
/** Keys that are read for them. */
const MAX_KEYS = 1_000;

interface NoticedKey {
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly at: Date;
}

/** Notices for owners. They are derived from the keys, so nothing has to be dismissed or deleted. */
@Injectable()
export class NoticesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async list(organizationId: string, now: Date): Promise<readonly Notice[]> {
    const [leftBehind, leaked] = await Promise.all([
      this.listLeftBehind(organizationId, now),
      this.listLeaked(organizationId, now),
    ]);
    return [...leftBehind, ...leaked.map(leakNotice)];
  }

  private async listLeftBehind(organizationId: string, now: Date): Promise<readonly Notice[]> {
    const keys = await this.db
      .selectFrom('api_keys')
      .leftJoin('people', 'people.id', 'api_keys.person_id')
      .select(['api_keys.id', 'api_keys.name', 'api_keys.display', 'api_keys.person_id as personId'])
      .select((eb) => eb.ref('left_behind_at').$notNull().as('at'))
      .select(sql<string | null>`coalesce(people.name, people.email)`.as('person'))
      .where('api_keys.organization_id', '=', organizationId)
      .where('left_behind_at', 'is not', null)
      .where(isValidAt(now))
      .orderBy('left_behind_at', 'desc')
      .orderBy('api_keys.created_at')
      .limit(MAX_KEYS)
      .execute();
    const byPerson = Map.groupBy(keys, ({ personId }) => personId);
    return [...byPerson.values()].slice(0, MAX_NOTICES).flatMap((ofPerson) => {
      const [first] = ofPerson;
      return first === undefined ? [] : [leftBehindNotice(first, ofPerson)];
    });
  }

  private listLeaked(organizationId: string, now: Date): Promise<NoticedKey[]> {
    return this.db
      .selectFrom('api_keys')
      .select(['id', 'name', 'display'])
      .select((eb) => eb.ref('revoked_at').$notNull().as('at'))
      .where('organization_id', '=', organizationId)
      .where('revocation_reason', '=', 'leaked')
      .where('revoked_at', '>', new Date(now.getTime() - LEAK_SHOWN_MS))
      .orderBy('revoked_at', 'desc')
      .limit(MAX_NOTICES)
      .execute();
  }
}

function leftBehindNotice(
  { at, personId, person }: NoticedKey & { readonly personId: string | null; readonly person: string | null },
  keys: readonly NoticedKey[],
): Notice {
  const message =
    `The identity provider no longer assigns ${person ?? 'a person'} to this organization, but API keys that they made are still ` +
    'valid. Revoke or keep them.';
  return { code: 'keys_left_behind', at: at.toISOString(), message, personId, apiKeys: someOf(keys) };
}

function leakNotice(key: NoticedKey): Notice {
  const message = `The API key “${key.name}” was reported as leaked and revoked. Check the audit log for what was done with it.`;
  return { code: 'key_leaked', at: key.at.toISOString(), message, personId: null, apiKeys: someOf([key]) };
}
