/** The part of a pino logger that this library uses. */
export interface MessagingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** While a server is down every connection fails several times a second; one line in this time is enough. */
const REPEAT_AFTER_MS = 10_000;

/**
 * An 'error' listener for connections, queues and workers. Without one a lost connection would end the process. The
 * same message is logged once in `REPEAT_AFTER_MS`, with the number of repetitions since.
 */
export function createErrorLog(
  log: MessagingLog,
  now: () => number = Date.now,
): (source: string, error: Error) => void {
  const logged = new Map<string, { at: number; suppressed: number }>();
  return (source, error) => {
    const key = `${source}: ${error.message}`;
    const last = logged.get(key);
    if (last !== undefined && now() - last.at < REPEAT_AFTER_MS) {
      last.suppressed += 1;
      return;
    }
    forgetOld(logged, now());
    logged.set(key, { at: now(), suppressed: 0 });
    log.warn({ err: error, source, repeated: last?.suppressed ?? 0 }, 'messaging connection error');
  };
}

function forgetOld(logged: Map<string, { at: number }>, now: number): void {
  for (const [key, { at }] of logged) if (now - at >= REPEAT_AFTER_MS) logged.delete(key);
}
