import type { ColumnType, JSONColumnType } from 'kysely';

export type Timestamp = ColumnType<Date, Date, Date>;
export type CreatedAt = ColumnType<Date, Date | undefined, never>;
export type Json = JSONColumnType<object, string, string>;
