import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream, type Logger } from 'pino';
import { currentTraceFields } from './tracing/spans.js';

export type { Logger };

/** The request, job or event that a log line belongs to. */
export type LogFields = Readonly<Record<string, string | number>>;

const currentFields = new AsyncLocalStorage<LogFields>();

/** Adds fields to every line that is logged by `work` and by everything that it starts. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return currentFields.run({ ...currentFields.getStore(), ...fields }, work);
}

/**
 * Logs one JSON line for each event, with the fields of `withLogFields` and the current trace. Credentials in logged requests
 * and headers are redacted.
 * @param destination the default is standard output
 */
export function createLogger(app: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { app },
    // A new object, since pino adds the fields of the line to it.
    mixin: () => ({ ...currentFields.getStore(), ...currentTraceFields() }),
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', '*.authorization', '*.headers.authorization', '*.sealedKey'],
      censor: '[secret]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** A Nest `LoggerService` that writes Nest's messages to our log. */
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
