export * from './client.js';
export { stringifyWithBigInt } from './exact-json.js';
export * from './event-stream.js';
export type { components, operations, paths } from './schema.js';
export { nextCursor, readAllPages } from './pagination.js';
