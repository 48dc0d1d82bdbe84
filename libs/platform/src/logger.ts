import { pino, type Logger } from 'pino';

export type { Logger };

/** One JSON line an event on standard output. Credentials are blanked wherever a request or header object is logged. */
export function createLogger(app: string, level: string): Logger {
  return pino({
    level,
    base: { app },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', '*.authorization', '*.headers.authorization', '*.sealedKey'],
      censor: '[secret]',
    },
  });
}
