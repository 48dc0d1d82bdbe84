import { pino, type DestinationStream, type Logger } from 'pino';

/** Lines are written together once there are so many bytes of them: less than the 16 KiB that pino writes at once… */
const BATCH_BYTES = 8 * 1024;
/** …or when the oldest has waited for this long. */
const BATCH_MS = 500;

export interface BatchedLogger {
  readonly log: Logger;
  /** Writes what has not been written yet. A process that ends without it loses up to half a second of lines. */
  flush(): void;
}

/**
 * For lines that come by the thousand, such as a line a request: one system call writes many. Written by the same
 * thread as other lines, so that no line ends up within another.
 * @param destination standard output when it is left out
 */
export function createBatchedLogger(app: string, level: string, destination?: DestinationStream): BatchedLogger {
  const options = { level, base: { app }, timestamp: pino.stdTimeFunctions.isoTime };
  if (destination !== undefined) return { log: pino(options, destination), flush: () => undefined };
  const batches = pino.destination({ dest: 1, sync: true, minLength: BATCH_BYTES, periodicFlush: BATCH_MS });
  return { log: pino(options, batches), flush: () => batches.flushSync() };
}
