/** The code that Node puts on system errors, such as `ENOENT`; empty when there is none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The code of what caused an error; fetch and the file storage wrap what the system says. */
export function causeCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'cause' in error ? errorCode(error.cause) : '';
}
