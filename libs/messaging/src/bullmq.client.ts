import { ClientProxy, type ReadPacket } from '@nestjs/microservices';
import type { DomainEventName, DomainEvents } from '@pets/contracts';
import type { DomainEventProducer } from './domain-events.producer.js';

/**
 * Nest's client side of the event queue, for code that wants a `ClientProxy`. Only events: a request that waits for its
 * reply over a queue has no place here.
 */
export class BullMqClient extends ClientProxy {
  constructor(private readonly events: DomainEventProducer) {
    super();
  }

  /** The connection belongs to the messaging it was made from. */
  override connect(): Promise<void> {
    return Promise.resolve();
  }

  override close(): void {
    this._status$.complete();
  }

  override unwrap<T>(): T {
    return this.events as T;
  }

  protected override publish(): never {
    throw new Error('request and reply over the event queue is not offered');
  }

  protected override async dispatchEvent<T>(packet: ReadPacket): Promise<T> {
    // Nest's packet is untyped; the receiver checks name and payload against the catalog.
    await this.events.emit(packet.pattern as DomainEventName, packet.data as DomainEvents[DomainEventName]);
    return undefined as T;
  }
}
