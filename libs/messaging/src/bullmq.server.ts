import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { domainEvents } from '@pets/contracts';
import { UnrecoverableError } from 'bullmq';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Consumer } from './consumer.js';
import type { ReceivedMessage } from './message-guard.js';
import type { Messaging } from './messaging.js';
import { EventContext } from './on-event.decorator.js';

export interface EventServerOptions {
  /** Events handled at the same time. The default is high, so that handlers can batch them. */
  concurrency?: number;
}

/** For `app.connectMicroservice({ strategy }, { inheritAppConfig: false })`. Its handlers are `@OnEvent` methods. */
export function createEventServer(messaging: Messaging, { concurrency = 128 }: EventServerOptions = {}): BullMqServer {
  return new BullMqServer((process) => messaging.consumeEvents(process, { concurrency }));
}

/**
 * Nest's server side of the event queue: a job's name is the event's pattern. A handler that throws makes the job fail,
 * and BullMQ retries it. So nothing here may swallow an error.
 */
export class BullMqServer extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #consume: (process: (event: ReceivedMessage) => Promise<void>) => Consumer;
  #consumer: Consumer | undefined;

  constructor(consume: (process: (event: ReceivedMessage) => Promise<void>) => Consumer) {
    super();
    this.#consume = consume;
  }

  /** Nest has registered all handlers before. Does not wait for the store: events are consumed once it answers. */
  override listen(callback: (error?: unknown) => void): void {
    try {
      assertHandlersComplete(this);
      this.#consumer = this.#consume((event) => this.#handle(event));
      callback();
    } catch (error) {
      callback(error);
    }
  }

  override async close(): Promise<void> {
    await this.#consumer?.close();
  }

  override on(): void {
    throw new Error('the event queue emits no events of its own; connection errors are logged');
  }

  override unwrap<T>(): T {
    return this.#consumer as T;
  }

  async #handle(event: ReceivedMessage): Promise<void> {
    const handler = this.messageHandlers.get(event.name);
    if (handler === undefined) throw new UnrecoverableError(`no handler for event ${event.name}`);
    const result: unknown = await handler(event.data, new EventContext([event]));
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }
}

/**
 * Each event of the catalog has exactly one handler, or the process does not start: an event without one would fail
 * for days unnoticed, and with two, a failure of the second would repeat the first.
 * @throws Error naming each event that is wrong
 */
export function assertHandlersComplete(server: { getHandlers(): ReadonlyMap<string, MessageHandler> }): void {
  const handlers = server.getHandlers();
  const missingOrRepeated = Object.keys(domainEvents).flatMap((name) => {
    const handler = handlers.get(name);
    if (handler === undefined) return [`${name} has no handler`];
    return handler.next === undefined ? [] : [`${name} has several handlers`];
  });
  const unknown = [...handlers.keys()].filter((name) => !Object.hasOwn(domainEvents, name));
  const errors = [...missingOrRepeated, ...unknown.map((name) => `${name} is not in the catalog`)];
  if (errors.length > 0) throw new Error(`event handlers: ${errors.join(', ')}`);
}
