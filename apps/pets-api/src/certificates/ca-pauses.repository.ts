import { Injectable } from '@nestjs/common';
import { caAccountId, type CaAccountRef, type CaPauses } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';

/** A pause is kept for this long after its end. */
const KEPT_SECONDS = 60 * 60;

/** Times before which a CA accepts no orders of an account, or below a registered domain (`ca_pauses`). */
@Injectable()
export class CaPausesRepository {
  async pauseAccount(db: Database, account: CaAccountRef, until: Date, detail: string): Promise<void> {
    await this.pause(db, { ...account, apexName: '' }, until, detail);
  }

  async pauseApex(db: Database, directoryUrl: string, apexName: string, until: Date, detail: string): Promise<void> {
    await this.pause(db, { directoryUrl, account: '', apexName }, until, detail);
  }

  /** The pauses of all accounts, and of some registered domains. */
  async find(db: Database, apexNames: readonly string[], now: Date): Promise<CaPauses> {
    const rows = await db
      .selectFrom('ca_pauses')
      .select(['directory_url as directoryUrl', 'account', 'apex_name as apexName', 'paused_until as until'])
      .where('paused_until', '>', now)
      .where(sql<boolean>`apex_name = any(${['', ...apexNames]})`)
      .execute();
    const ends = new Map(rows.map(({ until, apexName, ...account }) => [keyOf(account, apexName), until]));
    return {
      ofAccount: (account) => ends.get(keyOf(account, '')) ?? null,
      ofApex: (directoryUrl, apexName) => ends.get(keyOf({ directoryUrl, account: '' }, apexName)) ?? null,
    };
  }

  /** Deletes pauses that ended long ago. */
  async forgetEnded(db: Database): Promise<void> {
    await sql`delete from ca_pauses where paused_until < now() - make_interval(secs => ${KEPT_SECONDS})`.execute(db);
  }

  private async pause(
    db: Database,
    { directoryUrl, account, apexName }: CaAccountRef & { readonly apexName: string },
    until: Date,
    detail: string,
  ): Promise<void> {
    await sql`
      insert into ca_pauses as p (directory_url, account, apex_name, paused_until, detail)
      values (${directoryUrl}, ${account}, ${apexName}, ${until}, ${detail})
      on conflict (directory_url, account, apex_name) do update
      set paused_until = excluded.paused_until, detail = excluded.detail
      where p.paused_until < excluded.paused_until`.execute(db);
  }
}

function keyOf(account: CaAccountRef, apexName: string): string {
  return `${caAccountId(account)} ${apexName}`;
}
