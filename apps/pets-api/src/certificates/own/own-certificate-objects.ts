/**
 * Objects of uploaded certificates in the storage, as those of automatic ones (`certificate-objects.service.ts`): `certificates/<id>`
 * with the chain and the sealed key. Every object has a row. It is written before the certificate is activated; if the storage
 * does not answer, edges ask pets-api, and the sweep writes it. A day after its end the object is deleted, then the key in the
 * row: edges that are behind need it until then.
 *
 * No lease is needed: a row is written once, a rewrapped key only makes an object outdated, which edges ask pets-api for, and
 * a deletion comes a day after the last write.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { SealedCertificate } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { certificateObjectKey, writeStoredCertificate, type FileStorage, type Logger } from '@pets/platform';
import { sql } from 'kysely';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, DATABASE, LOG, STORAGE } from '../../platform/providers.js';

const EVERY_MS = 60_000;
const BATCH = 100;
const FAILURE = 'objects of uploaded certificates not kept up to date';
/** An owner waits for it. */
const LIMIT_MS = 5_000;
const DAY_MS = 86_400_000;
/** For edges that are behind, and for the history of an ended certificate. */
const KEY_GRACE_MS = DAY_MS;
const ROW_GRACE_MS = 30 * DAY_MS;

@Injectable()
export class OwnCertificateObjects implements OnModuleInit {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(STORAGE) private readonly storage: FileStorage,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  async sweep(): Promise<void> {
    await this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.endRemoved(limit) });
    await this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.writeLeft(limit) });
    await this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.deleteEnded(limit) });
    await this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.deleteRows(limit) });
  }

  /** Writes the object of an upload. A failure is logged: the sweep writes it. */
  async write(id: string): Promise<void> {
    await this.writeAll([id]).catch((error: unknown) =>
      this.log.warn(
        { err: error, certificateId: id },
        'uploaded certificate not written to the storage; retrying later',
      ),
    );
  }

  private async writeLeft(limit: number): Promise<number> {
    const { rows } = await sql<{ id: string }>`
      select id from own_certificates where state in ('checking', 'active') and object_written_at is null
      order by id limit ${limit}`.execute(this.db);
    return this.writeAll(rows.map(({ id }) => id));
  }

  private async writeAll(ids: readonly string[]): Promise<number> {
    const { rows } = await sql<SealedCertificate>`
      select id, organization_id as "organizationId", chain_pem as "chainPem", sealed_key as "sealedKey"
      from own_certificates where id = any(${ids}) and sealed_key <> ''`.execute(this.db);
    for (const sealed of rows) {
      await writeStoredCertificate(this.storage, sealed, AbortSignal.timeout(LIMIT_MS));
      await sql`update own_certificates set object_written_at = ${this.clock()}
        where id = ${sealed.id} and sealed_key = ${sealed.sealedKey}`.execute(this.db);
    }
    return rows.length;
  }

  /** The certificates of removed domains. */
  private async endRemoved(limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      update own_certificates set state = 'removed', ended_at = ${this.clock()}, step_due_at = null, check_due_at = null
      where id in (
        select o.id from own_certificates o join domains d on d.id = o.domain_id and d.state = 'removed'
        where o.state in ('checking', 'active') limit ${limit}
      )`.execute(this.db);
    return Number(numAffectedRows);
  }

  private async deleteEnded(limit: number): Promise<number> {
    const before = new Date(this.clock().getTime() - KEY_GRACE_MS);
    const { rows } = await sql<{ id: string }>`
      select id from own_certificates where ended_at < ${before} and sealed_key <> '' order by ended_at limit ${limit}`.execute(
      this.db,
    );
    for (const { id } of rows) {
      await this.storage.delete(certificateObjectKey(id), AbortSignal.timeout(LIMIT_MS));
      await sql`update own_certificates set sealed_key = '' where id = ${id}`.execute(this.db);
    }
    return rows.length;
  }

  private async deleteRows(limit: number): Promise<number> {
    const before = new Date(this.clock().getTime() - ROW_GRACE_MS);
    const { numAffectedRows = 0n } = await sql`
      delete from own_certificates where id in (
        select id from own_certificates where ended_at < ${before} and sealed_key = '' limit ${limit}
      )`.execute(this.db);
    return Number(numAffectedRows);
  }
}
