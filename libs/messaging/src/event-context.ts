import { BaseRpcContext } from '@nestjs/microservices';
import type { ReceivedMessage } from './message-guard.js';

/** What a handler of an event may ask for besides its payload: `@Ctx() context: EventContext`. */
export class EventContext extends BaseRpcContext<[ReceivedMessage]> {
  /** When the event was signed: what orders events that carry no attempt. */
  get sentAt(): Date {
    const [event] = this.getArgs();
    return event.sentAt;
  }
}
