import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@pets/platform';

/** Lets Nest log its own start-up and troubles through pino, in the same lines as everything else. */
export function nestLog(log: Logger): LoggerService {
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
