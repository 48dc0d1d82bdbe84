import { pino, type DestinationStream, type Logger } from 'pino';
import { currentLogFields } from './log-fields.js';
import { currentTraceFields } from './tracing/spans.js';

export type { Logger };

/**
 * One JSON line an event, with the fields of the request, job or event it belongs to (`withLogFields`), and its trace where
 * there is one. Credentials are blanked wherever a request or header object is logged.
 * @param destination standard output when it is left out
 */
export function createLogger(app: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { app },
    mixin: () => ({ ...currentLogFields(), ...currentTraceFields() }),
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', '*.authorization', '*.headers.authorization', '*.sealedKey'],
      censor: '[secret]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
