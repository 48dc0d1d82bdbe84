/** The code of a system error, such as `ENOENT`; empty without a code. */
export declare function errorCode(error: unknown): string;
/** The code of an error's cause; fetch and the file storage wrap system errors. */
export declare function causeCode(error: unknown): string;
//# sourceMappingURL=error-code.d.ts.map