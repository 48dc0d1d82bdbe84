import { UseFilters, UsePipes } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { domainEvents, type DomainEventName, type DomainEvents } from '@pets/contracts';
import { EventPayloadPipe } from './event-payload.pipe.js';
import { RethrowFilter } from './rethrow.filter.js';

/**
 * Marks a controller's method as the handler of an event. Its first parameter must take what the catalog says, and has
 * been checked against the catalog's schema when the method runs.
 *
 * @example
 * ```ts
 * @OnEvent('certificate.issued')
 * async onCertificateIssued(event: DomainEvents['certificate.issued']): Promise<void> { … }
 * ```
 */
export function OnEvent<N extends DomainEventName>(name: N) {
  return (
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<(event: DomainEvents[N]) => Promise<void>>,
  ): void => {
    EventPattern(name)(target, key, descriptor);
    UsePipes(new EventPayloadPipe(domainEvents[name]))(target, key, descriptor);
    UseFilters(RethrowFilter)(target, key, descriptor);
  };
}
