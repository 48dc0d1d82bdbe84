import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use
import type { Logger, Networks } from '@pets/platform';
import type { Exchange } from '../http/exchange.js';
import { Http1Exchange } from '../http/http1-exchange.js';
import { Http2Exchange } from '../http/http2-exchange.js';
import type { PageName } from '../http/page-texts.js';
import { sendPage, type ApplicationAnswer, type Forward } from '../http/respond.js';
import { LinkedList } from '../platform/linked-list.js';
import type { EdgeMetrics, ForwardOutcome } from '../metrics/edge-metrics.js';
import type { AnswerContext } from './answer-fields.js';
import { Forwarding } from './forwarding.js';
import { Http1Visitor } from './http1-visitor.js';
import { Http2Visitor } from './http2-visitor.js';
import { OriginError, pageOfFailure } from './origin-error.js';
import { Origins, type CompiledOrigin, type OriginsOptions } from './origins.js';
import { Places } from './places.js';
import { clientBehind, hasPassed, requestFields } from './request-fields.js';
import type { Visitor } from './visitor.js';

/**
 * Forwards requests of visitors to applications of customers, beside the static path, with which it shares connections, limits of
 * slow readers, pages and the access log.
 *
 * A host's route names an origin, which is a row of the same table (`origins.ts`). A request takes a place (`places.ts`).
 * `forwarding.ts` ends it and writes to the visitor (`answer-writer.ts`); `origin-request.ts` takes a connection (`origin-pool.ts`,
 * `connect-origin.ts`) and talks to the application. Pure functions decide what each side receives (`request-fields.ts`,
 * `answer-fields.ts`).
 *
 * When the edge ends a visitor's connection, as after a removal, the application's side ends in the same tick.
 */
export interface ForwarderOptions extends OriginsOptions {
  /** Requests that this process has room for. */
  readonly places: number;
  /** HTTP gateways in front of the edge. */
  readonly gateways: Networks;
  readonly metrics: EdgeMetrics;
  readonly log: Logger;
}

/** How often limits of time are checked: a timer for each request would cost more. */
const CHECK_INTERVAL_MS = 500;
/** Node drops fields beyond a number that is larger, without an error. */
const MAX_FIELDS = 500;

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #origins: Origins;
  readonly #places: Places<Forwarding>;
  readonly #active = new LinkedList<Forwarding>();
  readonly #isGateway: (address: string) => boolean;
  /** One for all requests, without the project's own Strict-Transport-Security and with it. */
  readonly #answerContext: AnswerContext;
  readonly #answerContextWithHsts: AnswerContext;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#origins = new Origins(options);
    this.#places = new Places(options.places);
    this.#answerContext = { platformDomain: options.platformDomain, hasHsts: false };
    this.#answerContextWithHsts = { ...this.#answerContext, hasHsts: true };
    const { gateways } = options;
    // A look-up in the empty list would cost each request an object in C++.
    this.#isGateway = gateways.isEmpty ? () => false : (address) => gateways.includes(address);
  }

  /** Requests in progress. */
  get active(): number {
    return this.#active.size;
  }

  get webSockets(): number {
    let count = 0;
    for (const { isTunnel } of this.#active.items) if (isTunnel) count += 1;
    return count;
  }

  /** Connections to applications. */
  get connections(): number {
    return this.#origins.connections;
  }

  readonly forward: Forward = (answer, exchange) => {
    try {
      const refusal = this.#begin(answer, exchange);
      if (refusal === undefined) return;
      if (exchange.announcesBody) exchange.endConnection();
      sendPage(refusal, exchange);
    } catch (error) {
      this.#options.log.error({ err: error, requestId: exchange.requestId }, 'request not forwarded');
      if (exchange.status === 0) sendPage('unavailable', exchange);
      else exchange.abort();
    }
  };

  /** Ends the oldest WebSocket or other long request of the organization that has most. @returns false when there is none */
  evictLong(): boolean {
    return this.#places.evictLong();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#origins.close();
  }

  /** @returns the page for a request that is not forwarded */
  #begin(answer: ApplicationAnswer, exchange: Exchange): PageName | undefined {
    const visitor = visitorOf(exchange);
    const { received, body } = visitor;
    if (exchange.method === 'CONNECT' || body === 'invalid') return this.#refuse('bad_request');
    if (received.length > 2 * MAX_FIELDS) return this.#refuse('headers_too_large');
    const compiled = this.#origins.find(answer.serve.origin);
    if (compiled === undefined) return this.#refuse('unavailable');
    const fields = this.#fieldsOf(answer, exchange, visitor, compiled);
    const failure = this.#admit(visitor, compiled);
    if (failure !== undefined) {
      this.#report(exchange, answer, failure);
      this.#options.metrics.forwarded(failure.failure);
      return pageOfFailure[failure.failure];
    }
    const forwarding = new Forwarding({
      answer,
      exchange,
      visitor,
      method: exchange.method,
      target: answer.target,
      fields,
      body,
      isUpgrade: exchange instanceof Http1Exchange && exchange.upgradeHead !== undefined,
      compiled,
      answerContext: answer.hsts === undefined ? this.#answerContext : this.#answerContextWithHsts,
      onEnd: this.#onEnd,
      onLong: this.#onLong,
    });
    this.#active.add(forwarding);
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
    forwarding.start();
    return undefined;
  }

  #refuse(page: PageName): PageName {
    this.#options.metrics.forwarded('refused');
    return page;
  }

  #admit({ received }: Visitor, { origin }: CompiledOrigin): OriginError | undefined {
    if (hasPassed(received, this.#options.platformDomain))
      return new OriginError('loop', 'the request has passed this platform before');
    if (!this.#places.take(origin)) return new OriginError('limit', 'too many requests of the project or organization');
    return undefined;
  }

  #fieldsOf(answer: ApplicationAnswer, exchange: Exchange, visitor: Visitor, compiled: CompiledOrigin): string[] {
    const { origin } = compiled;
    const hostHeader = exchange.hosts[0] ?? answer.host;
    return requestFields(
      visitor.received,
      {
        hostHeader,
        host: answer.host,
        serve: answer.serve,
        version: visitor.version,
        client: clientBehind(exchange.connection.client, visitor.received, this.#isGateway),
        requestId: exchange.requestId,
      },
      {
        hostHeader: origin.hostHeader,
        pseudonym: this.#options.platformDomain,
        // The application would send a secret back to the visitor (RFC 9110 §9.3.8).
        fields: exchange.method === 'TRACE' ? NO_FIELDS : compiled.fields,
      },
    );
  }

  readonly #onEnd = (forwarding: Forwarding, outcome: ForwardOutcome, detail: string): void => {
    this.#active.delete(forwarding);
    this.#places.release(forwarding);
    this.#options.metrics.forwarded(outcome);
    if (detail !== '') this.#report(forwarding.exchange, forwarding.answer, { failure: outcome, message: detail });
  };

  /** The end of a stream frees no connection. */
  readonly #onLong = (forwarding: Forwarding): void => {
    if (forwarding.exchange.protocol !== 'http/2') this.#places.becameLong(forwarding);
  };

  /** The reference of the page finds this line. */
  #report(
    { requestId }: Exchange,
    { serve }: ApplicationAnswer,
    { failure, message }: { readonly failure: string; readonly message: string },
  ): void {
    this.#options.log.info({ requestId, origin: serve.origin, failure, detail: message }, 'application did not answer');
  }

  #check(): void {
    const nowMs = performance.now();
    this.#origins.check(nowMs);
    for (const forwarding of this.#active.items) forwarding.check(nowMs);
  }
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map();

/** @throws Error for an exchange of another kind, which is a bug */
function visitorOf(exchange: Exchange): Visitor {
  if (exchange instanceof Http1Exchange) return new Http1Visitor(exchange);
  if (exchange instanceof Http2Exchange) return new Http2Visitor(exchange);
  throw new Error('an exchange of an unknown protocol');
}
