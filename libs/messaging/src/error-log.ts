/** What this library needs of a logger; pino's fits. */
export interface MessagingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A server that is down makes every connection fail several times a second: one line in this time tells it all. */
const QUIET_MS = 10_000;

/**
 * An 'error' listener for connections, queues and workers. Without one a lost connection would end the process. The
 * same message is logged once in `QUIET_MS`, with how often it came meanwhile.
 */
export function createErrorLog(
  log: MessagingLog,
  now: () => number = Date.now,
): (source: string, error: Error) => void {
  const said = new Map<string, { at: number; suppressed: number }>();
  return (source, error) => {
    const key = `${source}: ${error.message}`;
    const last = said.get(key);
    if (last !== undefined && now() - last.at < QUIET_MS) {
      last.suppressed += 1;
      return;
    }
    forgetOld(said, now());
    said.set(key, { at: now(), suppressed: 0 });
    log.warn({ err: error, source, repeated: last?.suppressed ?? 0 }, 'messaging connection trouble');
  };
}

function forgetOld(said: Map<string, { at: number }>, now: number): void {
  for (const [key, { at }] of said) if (now - at >= QUIET_MS) said.delete(key);
}
