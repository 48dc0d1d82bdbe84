import { certificateKeyBinding, originHeadersBinding, PLATFORM_ORGANIZATION } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { channelLinkKeyBinding, idempotentAnswerBinding, webhookSecretBinding } from './bindings.js';

/** An encrypted value, and the row that it is bound to. */
export interface SealedText {
  readonly text: string;
  readonly binding: string;
}

export interface SealedRow extends SealedText {
  readonly identity: Identity;
}

/** The primary key of a row, after which the next page begins. */
export type Identity = readonly string[];

export interface SealedPage {
  readonly rows: readonly SealedRow[];
  /** Position at which the next page begins; null after the last one. */
  readonly next: Identity | null;
}

/** Tables with encrypted columns, each a column of the type `sealed_text`: a test compares them with the schema. */
export const sealedPlaces = [
  'certificates',
  'platformCertificates',
  'idempotentAnswers',
  'webhookSecrets',
  'channelLinkKeys',
  'originHeaders',
] as const;
export type SealedPlace = (typeof sealedPlaces)[number];

/** A key that something is encrypted with. */
export interface KeyUsage {
  readonly keyId: string;
  /** One or two of each table. */
  readonly samples: readonly SealedText[];
}

export interface KeyCounts {
  readonly keyId: string;
  readonly counts: Readonly<Record<SealedPlace, number>>;
}

interface Columns {
  readonly table: string;
  readonly sealed: string;
  /** The primary key in its order, with types. */
  readonly identity: readonly (readonly [column: string, type: 'uuid' | 'text'])[];
  /** The columns of the binding. */
  readonly bound: readonly string[];
  bindingOf(parts: readonly string[]): string;
}

const columnsOf: Readonly<Record<SealedPlace, Columns>> = {
  certificates: {
    table: 'certificates',
    sealed: 'sealed_key',
    identity: [['id', 'uuid']],
    bound: ['id', 'organization_id'],
    bindingOf: ([id = '', organizationId = '']) => certificateKeyBinding(id, organizationId),
  },
  platformCertificates: {
    table: 'platform_certificates',
    sealed: 'sealed_key',
    identity: [['id', 'uuid']],
    bound: ['id'],
    bindingOf: ([id = '']) => certificateKeyBinding(id, PLATFORM_ORGANIZATION),
  },
  idempotentAnswers: {
    table: 'idempotent_answers',
    sealed: 'answer',
    identity: [
      ['api_key_id', 'uuid'],
      ['path', 'text'],
      ['key', 'text'],
    ],
    bound: ['api_key_id', 'path', 'key'],
    bindingOf: ([apiKeyId = '', path = '', key = '']) => idempotentAnswerBinding({ apiKeyId, path, key }),
  },
  webhookSecrets: {
    table: 'webhook_secrets',
    sealed: 'sealed',
    identity: [['id', 'uuid']],
    bound: ['id', 'endpoint_id'],
    bindingOf: ([id = '', endpointId = '']) => webhookSecretBinding(id, endpointId),
  },
  channelLinkKeys: {
    table: 'channels',
    sealed: 'sealed_link_key',
    identity: [['id', 'uuid']],
    bound: ['id'],
    bindingOf: ([id = '']) => channelLinkKeyBinding(id),
  },
  originHeaders: {
    table: 'origins',
    sealed: 'sealed_headers',
    identity: [['id', 'uuid']],
    bound: ['id'],
    bindingOf: ([id = '']) => originHeadersBinding(id),
  },
};

/** More than one, since one may be damaged. */
const SAMPLES = 2;

/** Rows of a key that are counted; there may be millions. */
const COUNTED = 10_000;

/** Encrypted values of every table. Nothing here decrypts one. */
export class EncryptedColumnsRepository {
  constructor(private readonly db: Database) {}

  /** The keys in use. Reads a few rows of each key, by the indexes of the key ids. */
  async usage(): Promise<KeyUsage[]> {
    const found = await Promise.all(sealedPlaces.map((place) => this.usageOf(place)));
    return [...Map.groupBy(found.flat(), ({ keyId }) => keyId)].map(([keyId, parts]) => ({
      keyId,
      samples: parts.flatMap(({ samples }) => samples),
    }));
  }

  /** How much is encrypted with each key, for the operator, up to `COUNTED` of each table: "none" is what decides. */
  async count(): Promise<KeyCounts[]> {
    const counted = await Promise.all(sealedPlaces.map((place) => this.countOf(place)));
    return [...Map.groupBy(counted.flat(), ({ keyId }) => keyId)].map(([keyId, parts]) => ({
      keyId,
      counts: countsOf((place) => parts.find((part) => part.place === place)?.count ?? 0),
    }));
  }

  /**
   * The next rows by primary key, and of these the ones that are encrypted with another key. A page reads its own rows
   * only, however few match.
   */
  async page(place: SealedPlace, notUnder: string, after: Identity | null, limit: number): Promise<SealedPage> {
    const columns = columnsOf[place];
    const names = sql.join(columns.identity.map(([name]) => sql.ref(name)));
    const valuesOf = (identity: Identity) =>
      sql.join(columns.identity.map(([, type], index) => sql`${identity[index]}::${sql.raw(type)}`));
    const { rows } = await sql<{ identity: string[]; bound: string[]; text: string | null }>`
      select ${texts(columns.identity.map(([name]) => name))} as identity, ${texts(columns.bound)} as bound,
        case when ${isSealed(columns)} and ${keyIdIn(columns)} <> ${notUnder} then ${sql.ref(columns.sealed)} end as text
      from ${sql.table(columns.table)} ${after === null ? sql`` : sql`where (${names}) > (${valuesOf(after)})`}
      order by ${names} limit ${limit}`.execute(this.db);
    return {
      rows: rows.flatMap(({ identity, bound, text }) =>
        text === null ? [] : [{ identity, text, binding: columns.bindingOf(bound) }],
      ),
      next: rows.length < limit ? null : (rows.at(-1)?.identity ?? null),
    };
  }

  /**
   * Replaces values that are still as they were read. Skips locked rows, so that it blocks no other transaction and
   * cannot deadlock.
   * @returns how many
   */
  async replace(
    place: SealedPlace,
    changes: readonly { readonly row: SealedRow; readonly text: string }[],
  ): Promise<number> {
    if (changes.length === 0) return 0;
    const { table, sealed, identity } = columnsOf[place];
    const input = changes.map(({ row, text }) => ({
      ...Object.fromEntries(identity.map(([name], index) => [name, row.identity[index]])),
      text_before: row.text,
      text_after: text,
    }));
    const shape = sql.join(identity.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
    const isSame = (left: string, right: string) =>
      sql.join(
        identity.map(([name]) => sql`${sql.ref(`${left}.${name}`)} = ${sql.ref(`${right}.${name}`)}`),
        sql` and `,
      );
    const { numAffectedRows = 0n } = await sql`
      with wanted as (
        select * from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
          as w(${shape}, text_before text, text_after text)
      ), unchanged as (
        select ${sql.join(identity.map(([name]) => sql.ref(`t.${name}`)))}, w.text_after
        from ${sql.table(table)} t join wanted w on ${isSame('t', 'w')}
        where ${sql.ref(`t.${sealed}`)} = w.text_before
        for update of t skip locked
      )
      update ${sql.table(table)} t set ${sql.ref(sealed)} = u.text_after from unchanged u
      where ${isSame('t', 'u')}`.execute(this.db);
    return Number(numAffectedRows);
  }

  private async countOf(place: SealedPlace) {
    const columns = columnsOf[place];
    const { rows } = await sql<{ keyId: string; count: number }>`
      select k."keyId", (
        select count(*)::integer
        from (
          select from ${sql.table(columns.table)} where ${isSealed(columns)} and ${keyIdIn(columns)} = k."keyId"
          limit ${COUNTED}
        ) as some_rows
      ) as count
      from (${keyIdsStatement(place)}) k`.execute(this.db);
    return rows.map((row) => ({ place, ...row }));
  }

  private async usageOf(place: SealedPlace): Promise<KeyUsage[]> {
    const { rows } = await keyIdsStatement(place).execute(this.db);
    return Promise.all(
      rows.map(async ({ keyId }) => ({ keyId, samples: await this.samplesOf(columnsOf[place], keyId) })),
    );
  }

  private async samplesOf(columns: Columns, keyId: string): Promise<SealedText[]> {
    const { rows } = await sql<{ bound: string[]; text: string }>`
      select ${texts(columns.bound)} as bound, ${sql.ref(columns.sealed)} as text
      from ${sql.table(columns.table)} where ${isSealed(columns)} and ${keyIdIn(columns)} = ${keyId} limit ${SAMPLES}`.execute(
      this.db,
    );
    return rows.map(({ bound, text }) => ({ text, binding: columns.bindingOf(bound) }));
  }
}

export function countsOf(count: (place: SealedPlace) => number): Record<SealedPlace, number> {
  return {
    certificates: count('certificates'),
    platformCertificates: count('platformCertificates'),
    idempotentAnswers: count('idempotentAnswers'),
    webhookSecrets: count('webhookSecrets'),
    channelLinkKeys: count('channelLinkKeys'),
    originHeaders: count('originHeaders'),
  };
}

/** Goes from one key id to the next in the index, however many rows each has; a test checks its plan. */
export function keyIdsStatement(place: SealedPlace): RawBuilder<{ keyId: string }> {
  const columns = columnsOf[place];
  const next = (condition: RawBuilder<unknown>) => sql`(
    select ${keyIdIn(columns)} from ${sql.table(columns.table)} where ${isSealed(columns)} and ${condition}
    order by 1 limit 1)`;
  return sql<{ keyId: string }>`
    with recursive ids (id) as (
      select ${next(sql`true`)}
      union all
      select ${next(sql`${keyIdIn(columns)} > ids.id`)} from ids where ids.id is not null
    )
    select id as "keyId" from ids where id is not null`;
}

/** The condition of the indexes. */
function isSealed({ sealed }: Columns): RawBuilder<boolean> {
  return sql`${sql.ref(sealed)} <> ''`;
}

/** The second part of an encrypted value; see `sealing.ts`. */
function keyIdIn({ sealed }: Columns): RawBuilder<string> {
  return sql`split_part(${sql.ref(sealed)}, '.', 2)`;
}

function texts(columns: readonly string[]): RawBuilder<string[]> {
  return sql`array[${sql.join(columns.map((name) => sql`${sql.ref(name)}::text`))}]`;
}
