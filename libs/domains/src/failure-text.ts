/** The code of a system error (`ECONNREFUSED`, `ENODATA`), or null. Checks the shape, since errors may come from another realm. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** The message of an error for an event or a log. */
export function failureText(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  return message || errorCodeOf(error) || String(error);
}
