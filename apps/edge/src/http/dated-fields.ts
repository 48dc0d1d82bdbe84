import type { HeaderList } from './exchange.js';

const MS_PER_SECOND = 1_000;

const current: { second: number; fields: HeaderList } = { second: 0, fields: [] };

/**
 * The fields that every response with 200 over HTTP/2 has, with the time (RFC 9110 §6.6.1). The same list for a second, so that
 * a response that is sent again and again is put together once a second; Node would extend a copy for each.
 */
export function datedFields(nowMs: number): HeaderList {
  const second = Math.floor(nowMs / MS_PER_SECOND);
  if (second !== current.second) {
    current.second = second;
    current.fields = [':status', '200', 'date', new Date(nowMs).toUTCString()];
  }
  return current.fields;
}
