import { UseFilters, UsePipes } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { domainEvents, type DomainEventName, type DomainEvents } from '@pets/contracts';
import type { EventContext } from './event-context.js';
import { EventPayloadPipe } from './event-payload.pipe.js';
import { RethrowFilter } from './rethrow.filter.js';

/**
 * Marks a controller's method as the handler of an event. Its first parameter must take what the catalog says, and has
 * been checked against the catalog's schema when the method runs. One that also wants to know when the event was sent
 * marks both: `@Payload() event, @Ctx() context: EventContext`.
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
