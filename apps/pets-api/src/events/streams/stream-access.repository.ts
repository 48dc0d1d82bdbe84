import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.js';
import { isLiveSetupLink } from '../../names/live-setup-links.js';
import { CLOCK, DATABASE, LOG } from '../../platform/providers.js';
import type { EventStream, StreamRights } from './event-stream.js';

@Injectable()
export class StreamAccessRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Rights that have ended with their key, its scope, their session, set-up link or project. One statement for all. */
  async findLapsed(rights: readonly StreamRights[], now: Date): Promise<StreamRights[]> {
    if (rights.length === 0) return [];
    const { rows } = await sql<{ place: number }>`
      select r.place::integer as place
      from unnest(
        ${rights.map(({ apiKeyId }) => apiKeyId)}::uuid[], ${rights.map(({ sessionId }) => sessionId)}::uuid[],
        ${rights.map(({ organizationId }) => organizationId)}::uuid[], ${rights.map(({ scope }) => scope)}::text[],
        ${rights.map(({ projectId }) => projectId)}::uuid[],
        ${rights.map(({ setupLinkId = null }) => setupLinkId)}::uuid[]
      ) with ordinality as r (api_key_id, session_id, organization_id, scope, project_id, setup_link_id, place)
      where r.setup_link_id is not null
          and not exists (select from setup_links l where l.id = r.setup_link_id and ${isLiveSetupLink(now)})
        or r.setup_link_id is null and not exists (
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

/** Ends the streams whose key or session ended or lost the scope, or whose project is gone. */
@Injectable()
export class StreamRightsCheck {
  constructor(
    private readonly access: StreamAccessRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Streams may stay while the database does not respond: without it there are no events to send either. */
  async endLapsed(streams: Iterable<EventStream>): Promise<void> {
    try {
      const byRights = Map.groupBy(streams, ({ rights }) => keyOf(rights));
      const distinct = [...byRights.values()].flatMap(([first]) => first?.rights ?? []);
      for (const lapsed of await this.access.findLapsed(distinct, this.clock()))
        for (const stream of byRights.get(keyOf(lapsed)) ?? []) stream.end();
    } catch (error) {
      this.log.warn({ err: error }, 'rights of event streams not checked; trying again');
    }
  }
}

function keyOf({ apiKeyId, sessionId, setupLinkId, scope, projectId }: StreamRights): string {
  return `${apiKeyId ?? ''} ${sessionId ?? ''} ${setupLinkId ?? ''} ${scope} ${projectId ?? ''}`;
}
