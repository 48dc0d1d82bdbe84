export { AutoResetEvent } from './auto-reset-event.js';
export { CircuitBreaker } from './circuit-breaker.js';
export { afterMs, FairSemaphore, onAbort, type Release } from './fair-semaphore.js';
export { forEachConcurrent } from './for-each-concurrent.js';
export { PromiseCache } from './promise-cache.js';
export { exponentialDelayMs, retry } from './retry.js';
export { abortable, onePerTurn, pause, restAfter, withTimeout } from './waiting.js';
