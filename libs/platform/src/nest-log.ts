import type { Logger } from './logger.js';

/** A Nest `LoggerService`: Nest's own start-up and troubles in the same lines as everything else. */
export function nestLog(log: Logger) {
  const write =
    (level: 'error' | 'warn' | 'debug' | 'trace') =>
    (message: unknown, ...details: unknown[]) =>
      log[level]({ details: details.map(String) }, message instanceof Error ? message.message : String(message));
  return {
    log: write('debug'),
    error: write('error'),
    warn: write('warn'),
    debug: write('trace'),
    verbose: write('trace'),
    fatal: write('error'),
  };
}
