export * from './client.js';
export { stringifyWithBigInt } from './exact-json.js';
export { EventStreamRefused } from './event-stream.js';
export * from './events.js';
export type { components, operations, paths } from './schema.js';
