import { Injectable } from '@nestjs/common';
import { recordset, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';

/** A registered domain at a CA. */
export interface LimitedDomain {
  readonly directoryUrl: string;
  readonly apexName: string;
}

/**
 * The registered domains in whose lines orders wait (`limited_domains`), and when the limit of each is looked at again. Writers
 * hold the lock of the directory (`CertificateAttemptsRepository.lock`).
 */
@Injectable()
export class LimitedDomainsRepository {
  /** Adds those that are not known yet. @param limited `until` is when the limit is expected to allow an order */
  async addLimited(tx: Tx, limited: readonly (LimitedDomain & { readonly until: Date })[]): Promise<void> {
    if (limited.length === 0) return;
    await sql`
      insert into limited_domains (directory_url, apex_name, check_at)
      select o."directoryUrl", o."apexName", min(o.until) from ${recordset('o', columns, limited)}
      group by o."directoryUrl", o."apexName"
      on conflict (directory_url, apex_name) do nothing`.execute(tx);
  }

  /** Lists registered domains whose limit is to be looked at. */
  async listDue(db: Database, limit: number): Promise<LimitedDomain[]> {
    return db
      .selectFrom('limited_domains')
      .select(['directory_url as directoryUrl', 'apex_name as apexName'])
      .where('check_at', '<=', sql<Date>`now()`)
      .orderBy('check_at')
      .limit(limit)
      .execute();
  }

  /** Whether it is still to be looked at; another replica may have been faster. */
  async isDue(tx: Tx, { directoryUrl, apexName }: LimitedDomain): Promise<boolean> {
    const found = await tx
      .selectFrom('limited_domains')
      .select('check_at')
      .where('directory_url', '=', directoryUrl)
      .where('apex_name', '=', apexName)
      .where('check_at', '<=', sql<Date>`now()`)
      .executeTakeFirst();
    return found !== undefined;
  }

  async checkAgain(tx: Tx, { directoryUrl, apexName }: LimitedDomain, at: Date): Promise<void> {
    await tx
      .updateTable('limited_domains')
      .set({ check_at: at })
      .where('directory_url', '=', directoryUrl)
      .where('apex_name', '=', apexName)
      .execute();
  }

  /** Forgets a registered domain in whose line nothing waits. @returns whether that is so */
  async forgetEmpty(tx: Tx, { directoryUrl, apexName }: LimitedDomain): Promise<boolean> {
    const { numAffectedRows } = await sql`
      delete from limited_domains l where l.directory_url = ${directoryUrl} and l.apex_name = ${apexName}
        and not exists (select from queued_orders q where q.directory_url = l.directory_url and q.line = l.apex_name
          and q.slot_given_at is null)`.execute(tx);
    return numAffectedRows === 1n;
  }
}

const columns = { directoryUrl: 'text', apexName: 'text', until: 'timestamptz' } as const;
