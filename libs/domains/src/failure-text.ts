/** The code of a system error (`ECONNREFUSED`, `ENODATA`), or null. Looks at the shape: errors may come from another realm. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** One line for a fact or a log. */
export function failureText(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  return message || errorCodeOf(error) || String(error);
}
