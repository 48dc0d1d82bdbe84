/**
 * How a request is refused, without the shapes of requests. Like `@pets/contracts/edge-feed` for programs that need nothing
 * else: the schemas of the API take a fifth of the processor time that a process of the edge needs to start.
 */
export * from './field-errors.js';
export * from './parse-input.js';
export * from './errors.js';
