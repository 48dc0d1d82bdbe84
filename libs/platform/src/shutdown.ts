import type { Logger } from './logger.js';

/** Under the 10 s that container platforms usually wait before they kill. */
const DEADLINE_MS = 9_000;

/** Runs `stop` once on SIGTERM or SIGINT, then exits: 0 when it ended in time, 1 when it failed or did not. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error(`not stopped after ${DEADLINE_MS} ms, leaving`);
      process.exit(1);
    }, DEADLINE_MS).unref();
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
