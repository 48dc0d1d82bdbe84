import { afterMs, FairSemaphore, pause, type Release } from '@pets/async';
import { asTenant } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { tenantOf } from './principal.js';

/** The part of a minute's requests that may start in one second. */
const PART_A_SECOND = 1 / 5;
/** Requests that may start in one second even with a small allowance. */
const MIN_A_SECOND = 10;
/** Each start at once delays the requests of all others by its processor time. */
const MAX_AT_ONCE = 16;
const MAX_KEYS = 10_000;
const FORGOTTEN_AFTER_MS = 5_000;

/**
 * Spreads the requests of a key over time (GCRA): in any second at most a fifth of what it may send in a minute starts,
 * half of it at once, but at most 16, and the rest evenly. Without it, a minute's requests could all start in one moment.
 */
export class StartPace {
  readonly #theoreticalArrivals = new LRUCache<string, number>({ max: MAX_KEYS, ttl: FORGOTTEN_AFTER_MS });

  /**
   * Reserves the next start.
   * @param limit requests a minute
   * @param waitMs a request that would wait for longer gets no start
   * @returns milliseconds until it may start; null when it may not
   */
  reserve(key: string, limit: number, waitMs: number, nowMs: number): number | null {
    if (limit === Infinity) return 0;
    const mostASecond = Math.max(MIN_A_SECOND, Math.floor(limit * PART_A_SECOND));
    const burst = Math.min(mostASecond / 2, MAX_AT_ONCE);
    const emissionIntervalMs = 1_000 / (mostASecond - burst);
    const arrivalMs = Math.max(this.#theoreticalArrivals.get(key) ?? nowMs, nowMs);
    const earliestMs = arrivalMs - (burst - 1) * emissionIntervalMs;
    // To the microsecond: sums of intervals are not exact.
    const delayMs = Math.max(0, Math.round((earliestMs - nowMs) * 1_000) / 1_000);
    if (delayMs > waitMs) return null;
    this.#theoreticalArrivals.set(key, arrivalMs + emissionIntervalMs);
    return delayMs;
  }
}

/** Requests of all organizations that run at a time in this replica. */
const MAX_RUNNING = 256;
/** Requests of one organization: a quarter. */
const MAX_RUNNING_OF_ONE = MAX_RUNNING / 4;
/** Requests of one organization that wait; their bodies are not read. */
const MAX_WAITING = 1_000;
/** How long a request waits for its start, and then for a place among those that run. */
const WAIT_MS = 2_000;

/**
 * Gives each organization a share of this replica: its requests start at a pace, run beside at most so many others of the
 * organization, and use its share of the database connections. The others wait, before their body is read and without a
 * connection, or are refused with `concurrency_limited`. A stream that is open counts only until it has begun.
 *
 * After authentication and the rate limit. Reasons: docs/decisions/0086-shares-of-a-replica.md.
 */
export function shareAmongTenants(fastify: FastifyInstance, isStream: (reply: FastifyReply) => boolean): void {
  const shares = { limit: MAX_RUNNING, groupLimit: MAX_RUNNING_OF_ONE, waitingLimit: MAX_WAITING };
  const running = new FairSemaphore(shares);
  const pace = new StartPace();
  fastify.decorateRequest('leave', null);
  // With callbacks: a request that need not wait, as most, costs no promise.
  fastify.addHook('onRequest', (request, reply, done) => {
    const tenant = tenantOf(request);
    if (tenant === null) return done();
    const { organizationId, limits } = tenant;
    // Pages of set-up links have a pace of their own: however many are open, members start their requests.
    const paced = request.principal === null ? `${organizationId} set-up` : organizationId;
    const delayMs = pace.reserve(paced, limits.requestsPerMinute, WAIT_MS, performance.now());
    if (delayMs === null) return done(RequestError.ofConcurrency());
    const release = delayMs === 0 ? running.tryAcquire('requests', organizationId) : null;
    if (release !== null) {
      hold(request, reply, release);
      return done();
    }
    const wait = async () => {
      if (delayMs > 0) await pause(delayMs);
      const later = await running.acquire('requests', organizationId, afterMs(WAIT_MS));
      if (later === null) throw RequestError.ofConcurrency();
      hold(request, reply, later);
    };
    wait().then(() => done(), done);
  });
  // As the log context: the code after a body runs in the async context of the connection.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const tenant = tenantOf(request);
    return tenant === null ? done() : asTenant(tenant.organizationId, done);
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (isStream(reply)) request.leave?.();
    done();
  });
}

/** Keeps the place until the response has ended, or the client is gone. */
function hold(request: FastifyRequest, { raw }: FastifyReply, release: Release): void {
  let isHeld = true;
  const leave = () => {
    if (isHeld) release();
    isHeld = false;
  };
  request.leave = leave;
  if (raw.destroyed || raw.closed) leave();
  else raw.once('close', leave);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives up the place among the running requests of its organization. */
    leave: (() => void) | null;
  }
}
