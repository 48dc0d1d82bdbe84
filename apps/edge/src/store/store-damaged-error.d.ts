/** A file of the store is not what was written there. Nothing of it may be served. */
export declare class StoreDamagedError extends Error {
    readonly name = "StoreDamagedError";
}
/**
 * Runs a step on a file of the store.
 * @throws StoreDamagedError when SQLite finds damage; other errors, such as a full disk, as they are
 */
export declare function reportingDamage<T>(step: () => T): T;
//# sourceMappingURL=store-damaged-error.d.ts.map