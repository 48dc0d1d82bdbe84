/**
 * A system that we depend on cannot be reached, or cannot serve now: the caller may try again, and our code is not at
 * fault. Adapters throw it, so that other code does not depend on the errors of a driver.
 */
export class DependencyUnavailable extends Error {
  override readonly name = 'DependencyUnavailable';

  /** @param dependency for the log: `PostgreSQL` */
  constructor(dependency: string, cause: unknown) {
    super(`${dependency} is unavailable: ${reasonOf(cause)}`, { cause });
  }
}

/** An attempt to connect to several addresses fails with an error that has a code and no message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
