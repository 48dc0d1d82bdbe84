import { AsyncLocalStorage } from 'node:async_hooks';

/** What a log line is about: the request, job or event it belongs to. */
export type LogFields = Readonly<Record<string, string | number>>;

const current = new AsyncLocalStorage<LogFields>();

/** Whatever is logged by `work`, and by what it starts, carries these fields besides those it had already. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return current.run({ ...current.getStore(), ...fields }, work);
}

/** The fields that a line logged now has to carry. A new object, since pino adds the line's own to it. */
export function currentLogFields(): Record<string, string | number> {
  return { ...current.getStore() };
}
