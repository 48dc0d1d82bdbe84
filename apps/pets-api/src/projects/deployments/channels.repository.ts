import { Inject, Injectable } from '@nestjs/common';
import { MAX_LISTED_NAMES, type ChannelAccess } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { seal, unseal, type KeyRing } from '@pets/platform';
import { createLinkKeys, type LinkKeys } from '@pets/sites';
import { sql } from 'kysely';
import { channelLinkKeyBinding } from '../../platform/encryption-keys/bindings.js';
import { DATABASE } from '../../platform/providers.js';

/** The key pair of the links of a channel, the private key encrypted for the row of the channel. */
export interface SealedLinkKeys {
  readonly publicKey: string;
  readonly sealedPrivateKey: string;
}

export function sealNewLinkKeys(ring: KeyRing, channelId: string): SealedLinkKeys {
  const { publicKey, privateKey } = createLinkKeys();
  return { publicKey, sealedPrivateKey: seal(ring, privateKey, channelLinkKeyBinding(channelId)) };
}

/** @throws Error when the private key cannot be decrypted */
export function unsealLinkKeys(ring: KeyRing, channelId: string, keys: SealedLinkKeys): LinkKeys {
  const { publicKey, sealedPrivateKey } = keys;
  return { publicKey, privateKey: unseal(ring, sealedPrivateKey, channelLinkKeyBinding(channelId)) };
}

/** A channel ends so long after it was last deployed to, changed or renewed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export interface ChannelRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly deploymentId: string;
  readonly access: ChannelAccess;
  /** The first names of the domains that serve it, in order. */
  readonly domains: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When it ends, unless a domain serves it. */
  readonly endsAt: Date;
}

const isBound = sql<boolean>`exists (
  select from domains d
  where d.project_id = channels.project_id and d.channel = channels.name and d.state <> 'removed'
)`;

const columns = [
  'id',
  'project_id as projectId',
  'name',
  'deployment_id as deploymentId',
  sql<ChannelAccess>`case when link_key is null then 'public' else 'link' end`.as('access'),
  sql<string[]>`array(
    select d.name from domains d
    where d.project_id = channels.project_id and d.channel = channels.name and d.state <> 'removed'
    order by d.name limit ${MAX_LISTED_NAMES}
  )`.as('domains'),
  'created_at as createdAt',
  'updated_at as updatedAt',
  'ends_at as endsAt',
] as const;

/** The channels of projects. Every write is in a transaction that holds the project's lock. */
@Injectable()
export class ChannelsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The channels of a project, by name. */
  list(projectId: string): Promise<ChannelRow[]> {
    return this.db
      .selectFrom('channels')
      .select(columns)
      .where('project_id', '=', projectId)
      .orderBy(sql`name collate "C"`)
      .execute();
  }

  /** The channel of a project with a name; null when there is none. */
  async find(projectId: string, name: string, db: Database = this.db): Promise<ChannelRow | null> {
    const row = await db
      .selectFrom('channels')
      .select(columns)
      .where('project_id', '=', projectId)
      .where('name', '=', name)
      .executeTakeFirst();
    return row ?? null;
  }

  async count(tx: Tx, projectId: string): Promise<number> {
    const { count } = await tx
      .selectFrom('channels')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Creates a channel, or changes what it serves. */
  async put(
    tx: Tx,
    { projectId, name, deploymentId }: Pick<ChannelRow, 'projectId' | 'name' | 'deploymentId'>,
    now: Date,
  ): Promise<ChannelRow> {
    const set = { deployment_id: deploymentId, updated_at: now, ends_at: endAfter(now) };
    return tx
      .insertInto('channels')
      .values({ project_id: projectId, name, created_at: now, ...set })
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(set))
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** Sets the keys of the links that open a channel, or lets everybody read it with null. */
  async setLinkKeys(tx: Tx, id: string, keys: SealedLinkKeys | null): Promise<void> {
    const { publicKey = null, sealedPrivateKey = null } = keys ?? {};
    const set = { link_key: publicKey, sealed_link_key: sealedPrivateKey };
    await tx.updateTable('channels').set(set).where('id', '=', id).execute();
  }

  /** The keys of the links that open a channel; null where everybody may read it. */
  async findLinkKeys(tx: Tx, id: string): Promise<SealedLinkKeys | null> {
    const { publicKey = null, sealedPrivateKey = null } =
      (await tx
        .selectFrom('channels')
        .select(['link_key as publicKey', 'sealed_link_key as sealedPrivateKey'])
        .where('id', '=', id)
        .executeTakeFirst()) ?? {};
    return publicKey === null || sealedPrivateKey === null ? null : { publicKey, sealedPrivateKey };
  }

  /** Gives channels that domains have left their full time again. */
  async renew(tx: Tx, projectId: string, names: readonly string[], now: Date): Promise<void> {
    await tx
      .updateTable('channels')
      .set({ ends_at: endAfter(now) })
      .where('project_id', '=', projectId)
      .where('name', 'in', names)
      .execute();
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.deleteFrom('channels').where('id', '=', id).execute();
  }

  /** Projects with channels whose end has come. @returns at most `limit` */
  async listDueProjects(now: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom((builder) =>
        builder
          .selectFrom('channels')
          .select('project_id')
          .where('ends_at', '<=', now)
          .orderBy('ends_at')
          .limit(limit)
          .as('due'),
      )
      .select('project_id')
      .distinct()
      .execute();
    return rows.map(({ project_id: id }) => id);
  }

  /** Deletes the channels of a project whose end has come; those that a domain serves get another end. */
  async deleteEnded(tx: Tx, projectId: string, now: Date): Promise<readonly Pick<ChannelRow, 'id' | 'name'>[]> {
    await tx
      .updateTable('channels')
      .set({ ends_at: endAfter(now) })
      .where('project_id', '=', projectId)
      .where('ends_at', '<=', now)
      .where(isBound)
      .execute();
    return tx
      .deleteFrom('channels')
      .where('project_id', '=', projectId)
      .where('ends_at', '<=', now)
      .returning(['id', 'name'])
      .execute();
  }
}

function endAfter(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS);
}
