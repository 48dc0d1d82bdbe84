import type { Logger } from './logger.js';

/** A stop takes less than 10 s by the limits of its parts. This is for when one of those does not hold. */
const DEADLINE_MS = 25_000;

/** Runs `stop` once on SIGTERM or SIGINT, then exits: 0 when it ended in time, 1 when it failed or did not. */
export function stopOnSignal(
  log: Pick<Logger, 'info' | 'error'>,
  stop: () => Promise<void>,
  deadlineMs: number = DEADLINE_MS,
): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error(`not stopped after ${deadlineMs} ms, leaving`);
      process.exit(1);
    }, deadlineMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}
