import { type EdgeSnapshotReference } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import type { RouteRow, StorePosition } from '../store/table-schema.js';
/** The snapshot is not what the API announced, or cannot be read. The reason is in the message. */
export declare class SnapshotError extends Error {
    readonly name = "SnapshotError";
}
export interface LoadedSnapshot {
    readonly position: StorePosition;
    /** All routes in ascending order of hosts. Rejects with `SnapshotError`, after which nothing that it gave may be served. */
    readonly rows: AsyncIterable<RouteRow[]>;
}
/**
 * Opens the snapshot that the API announced. Everything is checked against the SHA-256 of the manifest, which came over the
 * authenticated session: who can write to the storage does not decide routing.
 * @throws SnapshotError, or the reason of the signal after its abort
 */
export declare function loadSnapshot(storage: FileStorage, reference: EdgeSnapshotReference, signal: AbortSignal): Promise<LoadedSnapshot>;
//# sourceMappingURL=snapshot-loader.d.ts.map