import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { StreamRights } from './event-stream.js';

@Injectable()
export class StreamAccessRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Rights that have ended with their key, its scope, their session or project. One statement for all. */
  async findLapsed(rights: readonly StreamRights[], now: Date): Promise<StreamRights[]> {
    if (rights.length === 0) return [];
    const { rows } = await sql<{ place: number }>`
      select r.place::integer as place
      from unnest(
        ${rights.map(({ apiKeyId }) => apiKeyId)}::uuid[], ${rights.map(({ sessionId }) => sessionId)}::uuid[],
        ${rights.map(({ organizationId }) => organizationId)}::uuid[], ${rights.map(({ scope }) => scope)}::text[],
        ${rights.map(({ projectId }) => projectId)}::uuid[]
      ) with ordinality as r (api_key_id, session_id, organization_id, scope, project_id, place)
      where not exists (
          select from api_keys k
          where k.id = r.api_key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
            and k.scopes @> array[r.scope]
        )
        or r.session_id is not null
          and not exists (select from sessions s where s.id = r.session_id and s.expires_at > ${now})
        or r.project_id is not null
          and not exists (select from projects p where p.id = r.project_id and p.organization_id = r.organization_id)
    `.execute(this.db);
    const ordinals = new Set(rows.map(({ place }) => place));
    return rights.filter((_one, index) => ordinals.has(index + 1));
  }
}
