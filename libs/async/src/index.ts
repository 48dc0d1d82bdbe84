export { CircuitBreaker } from './circuit-breaker.js';
export { afterMs, FairSemaphore, forEachConcurrent, onAbort, type Release, PromiseCache } from './concurrency.js';
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
