import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { later } from '@pets/domains';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { DATABASE, LOG } from '../platform/providers.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { EdgeHandshakes } from '../names/edge-ports.js';

/** The shortest time between two checks of a name that edges report: anybody can send an edge a handshake for it. */
const MIN_PAUSE_MS = 10_000;
/** How long reports are collected for one statement. */
const COLLECTED_MS = 50;
/** Hosts in one statement; the rest of a flood is dropped, and reported again ten seconds later. */
const MAX_HOSTS = 1_000;

/**
 * Edges report that visitors ask for names that are prepared for a switch. Their DNS is checked at once, since the reason may
 * be that the owner has switched it.
 */
@Injectable()
export class PreparedHandshakes implements OnModuleInit {
  private readonly hosts = new Set<string>();
  private collecting: Promise<void> | undefined;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly edges: EdgeHandshakes,
    private readonly work: WorkRepository,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  onModuleInit(): void {
    this.edges.onReported((hosts) => this.report(hosts));
  }

  report(hosts: readonly string[]): void {
    for (const host of hosts) if (this.hosts.size < MAX_HOSTS) this.hosts.add(host);
    if (this.hosts.size > 0) this.collecting ??= this.collect();
  }

  private async collect(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, COLLECTED_MS).unref());
    const hosts = [...this.hosts];
    this.hosts.clear();
    this.collecting = undefined;
    try {
      await this.checkSoon(hosts, new Date());
    } catch (error) {
      this.log.warn(
        { err: error, hosts: hosts.length },
        'reported handshakes not applied; the next poll finds a switch',
      );
    }
  }

  private async checkSoon(hosts: readonly string[], now: Date): Promise<void> {
    const { rows } = await sql<{ domainId: string; checkedAt: Date | null; dueAt: Date | null }>`
      select d.id as "domainId", greatest(d.checked_at, w.checked_at) as "checkedAt", w.due_at as "dueAt"
      from domains d join domain_work w on w.domain_id = d.id and w.kind = 'dns'
      where d.name = any(${hosts}) and d.state = 'awaiting_dns' and d.prepared_at is not null
        and (w.lease_until is null or w.lease_until <= ${now}) order by d.id`.execute(this.db);
    const cause = { isRequested: true, hasCertificate: true, hasAlert: false };
    const checks = rows.flatMap(({ domainId, checkedAt, dueAt }) => {
      const soon = later(now, checkedAt && new Date(checkedAt.getTime() + MIN_PAUSE_MS));
      return dueAt !== null && dueAt <= soon
        ? []
        : [{ domainId, work: { dns: { dueAt: soon } }, traceParent: null, cause }];
    });
    if (checks.length > 0) await this.db.transaction().execute((tx) => this.work.scheduleAll(tx, checks));
  }
}
