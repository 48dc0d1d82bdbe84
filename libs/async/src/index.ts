export { CircuitBreaker } from './circuit-breaker.js';
export { afterMs, FairSemaphore, forEachConcurrent, onAbort, type Release } from './concurrency.js';
export { PromiseCache } from './promise-cache.js';
export {
  abortable,
  AutoResetEvent,
  exponentialDelayMs,
  onePerTurn,
  pause,
  restAfter,
  retry,
  withTimeout,
} from './waiting.js';
