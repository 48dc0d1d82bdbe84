import type { ColumnType } from 'kysely';

export type Timestamp = ColumnType<Date, Date, Date>;
export type CreatedAt = ColumnType<Date, Date | undefined, never>;
/** Written as text, read as a value. */
export type JsonColumn<Value extends object> = ColumnType<Value, string, string>;
export type JsonWithDefault<Value extends object> = ColumnType<Value, string | undefined, string>;
