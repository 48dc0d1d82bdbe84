/** The code of a system error, such as `ENOENT`; empty without a code. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The code of an error's cause; fetch and the file storage wrap system errors. */
export function causeCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'cause' in error ? errorCode(error.cause) : '';
}
