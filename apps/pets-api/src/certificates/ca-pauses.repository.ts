import { Injectable } from '@nestjs/common';
import type { CaPauses } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';

/** Times before which a CA accepts no orders of our account, or below a registered domain (`ca_pauses`). */
@Injectable()
export class CaPausesRepository {
  async pauseAccount(db: Database, directoryUrl: string, until: Date, detail: string): Promise<void> {
    await this.pause(db, { directoryUrl, apexName: '' }, until, detail);
  }

  async pauseApex(db: Database, directoryUrl: string, apexName: string, until: Date, detail: string): Promise<void> {
    await this.pause(db, { directoryUrl, apexName }, until, detail);
  }

  /** The pauses of our accounts, and of some registered domains. */
  async find(db: Database, apexNames: readonly string[], now: Date): Promise<CaPauses> {
    const rows = await db
      .selectFrom('ca_pauses')
      .select(['directory_url as directoryUrl', 'apex_name as apexName', 'paused_until as until'])
      .where('paused_until', '>', now)
      .where(sql<boolean>`apex_name = any(${['', ...apexNames]})`)
      .execute();
    const ends = new Map(rows.map(({ until, directoryUrl, apexName }) => [`${directoryUrl} ${apexName}`, until]));
    return {
      ofAccount: (directoryUrl) => ends.get(`${directoryUrl} `) ?? null,
      ofApex: (directoryUrl, apexName) => ends.get(`${directoryUrl} ${apexName}`) ?? null,
    };
  }

  private async pause(
    db: Database,
    { directoryUrl, apexName }: { readonly directoryUrl: string; readonly apexName: string },
    until: Date,
    detail: string,
  ): Promise<void> {
    await sql`
      insert into ca_pauses as p (directory_url, apex_name, paused_until, detail)
      values (${directoryUrl}, ${apexName}, ${until}, ${detail})
      on conflict (directory_url, apex_name) do update
      set paused_until = excluded.paused_until, detail = excluded.detail
      where p.paused_until < excluded.paused_until`.execute(db);
  }
}
