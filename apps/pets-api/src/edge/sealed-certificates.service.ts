import { Inject, Injectable } from '@nestjs/common';
import { withTimeout } from '@pets/async';
import { PLATFORM_ORGANIZATION, type SealedCertificate } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { DependencyUnavailable, readStoredCertificate, type FileStorage } from '@pets/platform';
import { sql } from 'kysely';
import type { PlatformCertificateFeed } from '../names/edge-ports.js';
import { DATABASE, STORAGE } from '../platform/providers.js';

/** The issued platform certificate in the feed: every batch names it (`feed-pages.repository.ts`), and a new one is a version of its own. */
@Injectable()
export class PlatformCertificateFeedRepository implements PlatformCertificateFeed {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async publish(tx: Tx, id: string): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('edge_feed')
      .set({ version: sql`version + 1`, platform_certificate: id })
      .where('platform_certificate', 'is distinct from', id)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await notify(tx, 'edge_feed');
  }

  /** Null while there is none. */
  async current(): Promise<string | null> {
    const row = await this.db.selectFrom('edge_feed').select('platform_certificate').executeTakeFirstOrThrow();
    return row.platform_certificate;
  }
}

/** Shorter than the patience of a client in a handshake. */
const LIMIT_MS = 3_000;

/** Certificates with their sealed keys, for edges and gateways: issued and uploaded ones, and that of the platform. */
@Injectable()
export class SealedCertificates {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(STORAGE) private readonly storage: FileStorage,
  ) {}

  /**
   * From the row, which is read in any case and is never older than the object; edges ask when the storage does not answer
   * them. From the object where the row has no chain or key any more, as the next release leaves it.
   * @returns null when there is no such certificate, it has not been issued, or its key was deleted
   * @throws DependencyUnavailable when the object is needed and cannot be read
   */
  async find(id: string): Promise<SealedCertificate | null> {
    const row = await this.db
      .selectFrom('certificates')
      .select(['organization_id as organizationId', 'chain_pem as chainPem', 'sealed_key as sealedKey'])
      .where('id', '=', id)
      .where('state', 'not in', ['pending', 'failed'])
      .where('has_key', '=', true)
      .executeTakeFirst();
    if (row === undefined) return this.findOfPlatform(id);
    const { organizationId, chainPem, sealedKey } = row;
    if (chainPem !== null && sealedKey !== '') return { id, organizationId, chainPem, sealedKey };
    return (await this.readObject(id)) ?? null;
  }

  /** Finds a certificate of the platform. Its key is in the row until a day after its successor was issued. */
  private async findOfPlatform(id: string): Promise<SealedCertificate | null> {
    const { rows } = await sql<SealedCertificate>`
      select id, ${PLATFORM_ORGANIZATION}::text as "organizationId", chain_pem as "chainPem", sealed_key as "sealedKey"
      from platform_certificates where id = ${id} and state = 'issued' and sealed_key <> ''`.execute(this.db);
    return rows[0] ?? null;
  }

  private async readObject(id: string): Promise<SealedCertificate | undefined> {
    try {
      return await withTimeout(readStoredCertificate(this.storage, id), LIMIT_MS, 'stored certificate');
    } catch (error) {
      throw error instanceof DependencyUnavailable ? error : new DependencyUnavailable('file storage', error);
    }
  }
}
