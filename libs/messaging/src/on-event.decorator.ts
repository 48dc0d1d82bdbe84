import {
  Catch,
  UseFilters,
  UsePipes,
  type ArgumentMetadata,
  type PipeTransform,
  type RpcExceptionFilter,
} from '@nestjs/common';
import { BaseRpcContext, EventPattern } from '@nestjs/microservices';
import { domainEvents, queues, type DomainEventName, type DomainEvents } from '@pets/contracts';
import { UnrecoverableError } from 'bullmq';
import { throwError, type Observable } from 'rxjs';
import { z } from 'zod';
import type { ReceivedMessage } from './message-guard.js';

/** Metadata of an event, for handlers that need more than its payload: `@Ctx() context: EventContext`. */
export class EventContext extends BaseRpcContext<[ReceivedMessage]> {
  /** When the event was signed. It orders events that carry no attempt. */
  get sentAt(): Date {
    const [event] = this.getArgs();
    return event.sentAt;
  }

  /** Whether a person waits for the result that it reports. */
  get isAwaited(): boolean {
    const [event] = this.getArgs();
    return event.queue === queues.awaitedEvents;
  }
}

/**
 * Marks a controller's method as the handler of an event. Its first parameter must have the type of the catalog, and is
 * validated against the catalog's schema before the method runs. A handler that needs more of the event marks
 * both parameters: `@Payload() event, @Ctx() context: EventContext`.
 *
 * @example
 * ```ts
 * @OnEvent('certificate.issued')
 * async onCertificateIssued(event: DomainEvents['certificate.issued']): Promise<void> { … }
 * ```
 */
export function OnEvent<N extends DomainEventName>(name: N) {
  return <Handler extends (event: DomainEvents[N], context: EventContext) => Promise<void>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    // Nest's type knows one parameter.
    const handler = descriptor as TypedPropertyDescriptor<unknown> as TypedPropertyDescriptor<
      (event: DomainEvents[N]) => Promise<void>
    >;
    EventPattern(name)(target, key, handler);
    UsePipes(new EventPayloadPipe(domainEvents[name]))(target, key, descriptor);
    UseFilters(RethrowFilter)(target, key, descriptor);
  };
}

/** A retry cannot make an invalid payload valid, so the event fails at its first attempt, with the reason. */
class EventPayloadPipe implements PipeTransform {
  readonly #schema: z.ZodType;

  constructor(schema: z.ZodType) {
    this.#schema = schema;
  }

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type !== 'body') return value;
    const parsed = this.#schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new UnrecoverableError(`payload: ${z.prettifyError(parsed.error)}`);
  }
}

/** Nest's own filter replaces every error by "Internal server error". BullMQ needs the original to store it. */
@Catch()
class RethrowFilter implements RpcExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}
