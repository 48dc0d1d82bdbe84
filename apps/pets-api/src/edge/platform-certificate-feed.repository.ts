import { Inject, Injectable } from '@nestjs/common';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { PlatformCertificateFeed } from '../names/edge-ports.js';
import { DATABASE } from '../platform/providers.js';

/** The issued platform certificate in the feed: every batch names it (`encode-batch.ts`), and a new one is a version of its own. */
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
