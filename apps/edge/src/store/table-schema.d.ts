import type { DatabaseSync } from 'node:sqlite';
import type { EdgeRoute } from '@pets/contracts';
import { z } from 'zod';
export declare const createTablesSql = "\n  PRAGMA page_size = 2048;\n  PRAGMA user_version = 1;\n  CREATE TABLE routes (\n    host TEXT PRIMARY KEY, version INTEGER NOT NULL, route TEXT NOT NULL, checksum INTEGER NOT NULL\n  ) STRICT, WITHOUT ROWID;\n  CREATE TABLE meta (\n    id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL, checksum INTEGER NOT NULL\n  ) STRICT;";
/** Where a table is in the feed. Epoch '' and version 0: it has no content yet. */
export interface StorePosition {
    readonly epoch: string;
    readonly version: number;
    readonly thumbprint: string | null;
    /** The oldest protocol under which a part of it was sent: hosts of later kinds may be missing. */
    readonly protocol: number;
}
export interface RouteRow {
    readonly host: string;
    readonly version: number;
    /** A JSON text of `edgeRouteSchema`; the caller has checked it. */
    readonly route: string;
}
declare const metaSchema: z.ZodObject<{
    tableId: z.ZodString;
    commits: z.ZodInt;
    position: z.ZodObject<{
        epoch: z.ZodString;
        version: z.ZodInt;
        thumbprint: z.ZodNullable<z.ZodString>;
        protocol: z.ZodInt;
    }, z.core.$strip>;
    contactAtMs: z.ZodNullable<z.ZodNumber>;
    hosts: z.ZodInt;
    routesChecksum: z.ZodInt;
}, z.core.$strip>;
export type TableMeta = Readonly<z.infer<typeof metaSchema>>;
/** @throws StoreDamagedError when it is missing, or not what was written */
export declare function readMeta(db: DatabaseSync): TableMeta;
/** The columns `content` and `checksum`. */
export declare function metaColumns(meta: TableMeta): [string, number];
export declare function rowChecksum({ host, version, route }: RouteRow): number;
export declare function addChecksum(sum: number, checksum: number): number;
export declare function subtractChecksum(sum: number, checksum: number): number;
/** A row as it was read, whose columns may be anything. */
type ReadRow = Readonly<Record<string, unknown>>;
/**
 * @param row the columns `version`, `route` and `checksum`
 * @throws StoreDamagedError when they are not what was written for this host
 */
export declare function checkRow(host: string, row: ReadRow): RouteRow & {
    readonly checksum: number;
};
/** The cast holds: the checksum has shown that this is the text that was stored, and that was checked before. */
export declare function parseRoute(route: string): EdgeRoute;
export {};
//# sourceMappingURL=table-schema.d.ts.map