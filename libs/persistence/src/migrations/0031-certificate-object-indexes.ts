import { sql, type Kysely } from 'kysely';

/** What moves certificates into the storage, and collects their objects, looks for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Issued, with a key, and without an object that is current. The newest are needed first.
  `drop index concurrently if exists certificates_without_object`,
  `create index concurrently certificates_without_object on certificates (issued_at)
    where state = 'issued' and csr_pem <> '' and object_written_at is null`,
  // The key was deleted from the row, and the object is to follow.
  `drop index concurrently if exists certificates_unused_object`,
  `create index concurrently certificates_unused_object on certificates (id) where has_object and csr_pem = ''`,
];
