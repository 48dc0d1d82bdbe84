import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { UnrecoverableError } from 'bullmq';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Consumer } from './consumer.js';
import { EventContext } from './event-context.js';
import { assertHandlersComplete } from './handlers-complete.js';
import type { ReceivedMessage } from './message-guard.js';
import type { Messaging } from './messaging.js';

export interface EventServerOptions {
  /** Events handled at the same time; 128 unless told otherwise, so that handlers may do them together. */
  concurrency?: number;
}

/** For `app.connectMicroservice({ strategy }, { inheritAppConfig: false })`. Its handlers are `@OnEvent` methods. */
export function createEventServer(messaging: Messaging, { concurrency = 128 }: EventServerOptions = {}): BullMqServer {
  return new BullMqServer((process) => messaging.consumeEvents(process, { concurrency }));
}

/**
 * Nest's server side of the event queue: a job's name is the event's pattern. A handler that throws makes the job fail,
 * and BullMQ retries it; so nothing here may swallow an error.
 */
export class BullMqServer extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  #consumer: Consumer | undefined;

  constructor(private readonly consume: (process: (event: ReceivedMessage) => Promise<void>) => Consumer) {
    super();
  }

  /** Nest has registered all handlers by now. Does not wait for the store: events are taken once it is there. */
  override listen(callback: (error?: unknown) => void): void {
    try {
      assertHandlersComplete(this);
      this.#consumer = this.consume((event) => this.#handle(event));
      callback();
    } catch (error) {
      callback(error);
    }
  }

  override async close(): Promise<void> {
    await this.#consumer?.close();
  }

  override on(): void {
    throw new Error('the event queue has no events of its own; connection trouble is logged');
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
