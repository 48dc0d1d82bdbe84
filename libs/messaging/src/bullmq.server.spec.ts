import { describe, expect, it } from '@jest/globals';
import type { MessageHandler } from '@nestjs/microservices';
import { domainEvents } from '@pets/contracts';
import { assertHandlersComplete } from './bullmq.server.js';

const handler = (next?: MessageHandler['next']): MessageHandler => Object.assign(async () => undefined, { next });

function complete(): Map<string, MessageHandler> {
  return new Map(Object.keys(domainEvents).map((name) => [name, handler()]));
}

const check = (handlers: Map<string, MessageHandler>) => () => assertHandlersComplete({ getHandlers: () => handlers });

describe('assertHandlersComplete', () => {
  it('accepts one handler for each event', () => {
    expect(check(complete())).not.toThrow();
  });

  it('refuses an event without a handler', () => {
    const handlers = complete();
    handlers.delete('dns.checked');
    expect(check(handlers)).toThrow('event handlers: dns.checked has no handler');
  });

  it('refuses two handlers of one event', () => {
    expect(check(complete().set('dns.checked', handler(handler())))).toThrow('dns.checked has several handlers');
  });

  it('refuses a handler of an unknown event', () => {
    expect(check(complete().set('dns.cheked', handler()))).toThrow('dns.cheked is not in the catalog');
  });
});
