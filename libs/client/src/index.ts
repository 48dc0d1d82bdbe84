export * from './client.js';
export { stringifyWithBigInt } from './exact-json.js';
export { EventStreamRefused } from './event-stream.js';
export * from './project-events.js';
export * from './webhook-events.js';
export type { components, operations, paths } from './schema.js';
export { nextCursor, readAllPages } from './pagination.js';
