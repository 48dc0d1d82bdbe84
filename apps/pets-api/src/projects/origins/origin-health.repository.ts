import { Inject, Injectable } from '@nestjs/common';
import type { OriginOpinion } from '@pets/contracts';
import type { OriginVotes } from '@pets/domains';
import { inTransaction, recordset, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { StoredHealth } from './origin-row.js';

/** An edge without a report for so long has no vote; edges report every 5 s. */
const inContact = sql`e.last_contact_at > now() - interval '15 seconds'`;

/** An origin that edges are asked about, with what they say. */
export interface WatchedOrigin {
  readonly originId: string;
  readonly projectId: string;
  readonly health: StoredHealth;
  readonly votes: OriginVotes;
  /** Most frequent reason of the edges that say that it fails; null where none does. */
  readonly failure: OriginOpinion['failure'];
}

const columns = [
  'state',
  'since',
  'failure',
  'opposite_since as oppositeSince',
  'announced',
  'announced_at as announcedAt',
] as const;

/** Health of origins, and the votes of edges. Rows are locked in the order: project, edge, origin, health, votes. */
@Injectable()
export class OriginHealthRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @returns null when no edge has ever said that it fails */
  async find(originId: string, db: Database | Tx = this.db): Promise<StoredHealth | null> {
    const row = await db
      .selectFrom('origin_health')
      .select(columns)
      .where('origin_id', '=', originId)
      .executeTakeFirst();
    return row ?? null;
  }

  /**
   * Stores what a registered edge says about origins that serve. A failure makes the origin a watched one; that an edge can connect
   * to one that is not watched says nothing new. What has not changed is not written.
   */
  async storeOpinions(edgeId: string, opinions: readonly OriginOpinion[]): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      const edge = await sql`select from edges where id = ${edgeId} for key share`.execute(tx);
      if (edge.rows.length === 0) return;
      const { rows: known } = await sql<{ id: string }>`
        select id from origins where id::text = any(${opinions.map(({ origin }) => origin)}::text[])
          and served_since is not null
        order by id for key share`.execute(tx);
      const ids = new Set(known.map(({ id }) => id));
      const given = opinions.filter(({ origin }) => ids.has(origin));
      const failing = given.filter(({ failure }) => failure !== null).map(({ origin }) => origin);
      await sql`
        insert into origin_health (origin_id, is_watched)
        select id, true from unnest(${failing}::uuid[]) as g (id) order by id
        on conflict (origin_id) do update set is_watched = true where not origin_health.is_watched`.execute(tx);
      await sql`
        insert into origin_votes (origin_id, edge_id, failure)
        select distinct on (g.origin) g.origin, ${edgeId}, g.failure
        from ${recordset('g', { origin: 'uuid', failure: 'jsonb' }, given)}
        join origin_health h on h.origin_id = g.origin and h.is_watched
        order by g.origin
        on conflict (origin_id, edge_id) do update set failure = excluded.failure
        where origin_votes.failure ->> 'code' is distinct from excluded.failure ->> 'code'`.execute(tx);
    });
  }

  /** Origins to ask edges about: where there are more, others each time. */
  async listWatched(limit: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('origin_health')
      .select('origin_id')
      .where('is_watched', '=', true)
      .orderBy(sql`random()`)
      .limit(limit)
      .execute();
    return rows.map(({ origin_id }) => origin_id);
  }

  /** Watched origins, in the order of their ids. */
  async listVotes(after: string, limit: number): Promise<readonly WatchedOrigin[]> {
    return watchedStatement(sql`h.is_watched and h.origin_id > ${after}`, limit)
      .execute(this.db)
      .then(({ rows }) => rows.map(watchedOf));
  }

  /** Locks the row of an origin. @returns null when it is not watched any more */
  async lockVotes(tx: Tx, originId: string): Promise<WatchedOrigin | null> {
    await sql`select from origin_health where origin_id = ${originId} for update`.execute(tx);
    const { rows } = await watchedStatement(sql`h.is_watched and h.origin_id = ${originId}`, 1).execute(tx);
    const [row] = rows;
    return row === undefined ? null : watchedOf(row);
  }

  /** Writes what was decided. With the watch its votes end: an edge that says later that it fails begins another one. */
  async save(tx: Tx, originId: string, { health, isWatched }: SavedHealth): Promise<void> {
    await tx
      .updateTable('origin_health')
      .set({
        state: health.state,
        since: health.since,
        failure: health.failure === null ? null : JSON.stringify(health.failure),
        opposite_since: health.oppositeSince,
        announced: health.announced,
        announced_at: health.announcedAt,
        is_watched: isWatched,
      })
      .where('origin_id', '=', originId)
      .execute();
    if (!isWatched) await this.deleteVotes(tx, originId);
  }

  /** Deletes what edges say about an origin: it has another address. */
  async restartVotes(tx: Tx, originId: string): Promise<void> {
    await tx.updateTable('origin_health').set({ opposite_since: null }).where('origin_id', '=', originId).execute();
    await this.deleteVotes(tx, originId);
  }

  /** Numbers an event about an origin, and announces it to the readers of the project's events. */
  async nextEvent(tx: Tx, originId: string, projectId: string): Promise<bigint> {
    const { rows } = await sql<{ sequence: bigint }>`
      with counted as (
        update projects set change_number = change_number + 1 where id = ${projectId} returning change_number
      )
      insert into origin_health (origin_id, event_sequence, project_id, change_number)
      select ${originId}::uuid, 1, ${projectId}::uuid, change_number from counted
      on conflict (origin_id) do update
      set event_sequence = origin_health.event_sequence + 1, project_id = excluded.project_id,
        change_number = excluded.change_number
      returning event_sequence as sequence`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error(`project ${projectId} is gone`);
    return row.sequence;
  }

  private async deleteVotes(tx: Tx, originId: string): Promise<void> {
    await tx.deleteFrom('origin_votes').where('origin_id', '=', originId).execute();
  }
}

interface SavedHealth {
  readonly health: StoredHealth;
  readonly isWatched: boolean;
}

interface WatchedRow extends StoredHealth, OriginVotes {
  readonly originId: string;
  readonly projectId: string;
  readonly said: OriginOpinion['failure'];
}

function watchedStatement(where: ReturnType<typeof sql>, limit: number) {
  return sql<WatchedRow>`
    select h.origin_id as "originId", o.project_id as "projectId", h.state, h.since, h.failure,
      h.opposite_since as "oppositeSince", h.announced, h.announced_at as "announcedAt", votes.failing, votes.reachable,
      (select count(*) from edges e where ${inContact})::integer as edges,
      (
        select v.failure from origin_votes v join edges e on e.id = v.edge_id and ${inContact}
        where v.origin_id = h.origin_id and v.failure ->> 'code' = votes.code order by v.edge_id limit 1
      ) as said
    from origin_health h join origins o on o.id = h.origin_id
    cross join lateral (
      select (count(*) filter (where v.failure is not null))::integer as failing,
        (count(*) filter (where v.failure is null))::integer as reachable,
        mode() within group (order by v.failure ->> 'code') as code
      from origin_votes v join edges e on e.id = v.edge_id and ${inContact} where v.origin_id = h.origin_id
    ) votes
    where ${where} order by h.origin_id limit ${limit}`;
}

function watchedOf({ originId, projectId, failing, reachable, edges, said, ...health }: WatchedRow): WatchedOrigin {
  return { originId, projectId, health, votes: { failing, reachable, edges }, failure: said };
}
