/**
 * The bytes of an organization in the database. A loop estimates them (`retention/`), and imports count their own bytes when
 * they are admitted, so between two estimates an organization grows by what its rate limit allows it to write otherwise.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql } from 'kysely';
import type { Limits } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { LimitsService } from './limits.service.js';

const today = sql`(now() at time zone 'UTC')::date`;

export type AdmittedImport = Extract<ImportVerdict, { kind: 'admitted' }>;

/** An upload that asks to be admitted. */
export interface UploadSize {
  /** Bytes that the client declared; null if it declared none. */
  readonly declaredBytes: number | null;
  /** Maximum bytes of any file. */
  readonly most: number;
  /** Bytes of imports that no estimate has counted yet. */
  readonly uncountedBytes: number;
}

@Injectable()
export class DatabaseBudget {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly limits: LimitsService,
  ) {}

  async readUsedBytes(organizationId: string, db: Database = this.db): Promise<UsedBytes> {
    const { rows } = await sql<UsedBytes>`
      select bytes::float8 as "databaseBytes",
        case when import_day = ${today} then import_bytes else 0 end::float8 as "importBytesPerDay"
      from organization_bytes where organization_id = ${organizationId}`.execute(db);
    return rows[0] ?? { databaseBytes: 0, importBytesPerDay: 0 };
  }

  /** Returns why the organization may store nothing more; null while it may. */
  async findRefusal(tx: Tx, organizationId: string, limits: Limits): Promise<RequestError | null> {
    const { databaseBytes } = await this.readUsedBytes(organizationId, tx);
    return databaseBytes < limits.databaseBytes ? null : storageUsed(limits);
  }

  /** @throws RequestError `storage_limit_reached` */
  async require(organizationId: string): Promise<void> {
    const [{ databaseBytes }, limits] = [
      await this.readUsedBytes(organizationId),
      await this.limits.of(organizationId),
    ];
    if (databaseBytes >= limits.databaseBytes) throw storageUsed(limits);
  }

  /**
   * Counts an upload as one of today, in a transaction that holds the lock of the organization.
   * @throws RequestError `storage_limit_reached`; `rate_limited` when the organization has imported its bytes of today
   */
  async admitImport(
    tx: Tx,
    organizationId: string,
    limits: Limits,
    { declaredBytes, most, uncountedBytes }: UploadSize,
  ): Promise<AdmittedImport> {
    const { databaseBytes, importBytesPerDay } = await this.readUsedBytes(organizationId, tx);
    const used = { databaseBytes: databaseBytes + uncountedBytes, importBytesPerDay };
    const verdict = evaluateImport(declaredBytes, most, used, limits);
    if (verdict.kind === 'refused') throw importRefused(verdict.limitedBy, limits);
    await sql`
      insert into organization_bytes as b (organization_id, import_day, import_bytes)
      values (${organizationId}, ${today}, ${verdict.bytes})
      on conflict (organization_id) do update set import_day = excluded.import_day, import_bytes = excluded.import_bytes
        + case when b.import_day = excluded.import_day then b.import_bytes else 0 end`.execute(tx);
    return verdict;
  }

  /** Gives back the admitted bytes that an upload did not have. */
  async returnUnused(organizationId: string, bytes: number): Promise<void> {
    if (bytes <= 0) return;
    await sql`
      update organization_bytes set import_bytes = greatest(import_bytes - ${bytes}::bigint, 0)
      where organization_id = ${organizationId} and import_day = ${today}`.execute(this.db);
  }
}

/** An import that exceeds a limit of bytes. */
export function importRefused(limitedBy: keyof UsedBytes, limits: Pick<Limits, keyof UsedBytes>): RequestError {
  if (limitedBy === 'databaseBytes') return storageUsed(limits);
  const message = `The organization can import ${limits.importBytesPerDay} bytes of files a day (UTC).`;
  const retryAfter = String(secondsLeftOfDay(new Date()));
  return new RequestError('rate_limited', message, { 'retry-after': retryAfter });
}

function storageUsed({ databaseBytes }: Pick<Limits, 'databaseBytes'>): RequestError {
  const message = `The organization has used its storage in the database; its limit is ${databaseBytes} bytes.`;
  return new RequestError('storage_limit_reached', message);
}

/** Bytes that an organization uses of its limits. */
interface UsedBytes {
  readonly databaseBytes: number;
  readonly importBytesPerDay: number;
}

export type ImportVerdict =
  /** `limitedBy` is the limit that ends a longer file; null where it is that of every file. */
  | { readonly kind: 'admitted'; readonly bytes: number; readonly limitedBy: keyof UsedBytes | null }
  | { readonly kind: 'refused'; readonly limitedBy: keyof UsedBytes };

/**
 * How many bytes an upload may have. Of a file without a declared length, as many as are left.
 * @param most of any file
 */
export function evaluateImport(
  declaredBytes: number | null,
  most: number,
  used: UsedBytes,
  limits: Pick<Limits, keyof UsedBytes>,
): ImportVerdict {
  const wanted = declaredBytes === null ? most : Math.min(declaredBytes, most);
  const left = (name: keyof UsedBytes) => limits[name] - used[name];
  const limitedBy = left('databaseBytes') < left('importBytesPerDay') ? 'databaseBytes' : 'importBytesPerDay';
  const room = left(limitedBy);
  if (wanted <= room) return { kind: 'admitted', bytes: wanted, limitedBy: null };
  if (declaredBytes !== null || room <= 0) return { kind: 'refused', limitedBy };
  return { kind: 'admitted', bytes: room, limitedBy };
}

/** Whole seconds until the next day begins, UTC. */
export function secondsLeftOfDay(now: Date): number {
  const dayMs = 86_400_000;
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1_000);
}
