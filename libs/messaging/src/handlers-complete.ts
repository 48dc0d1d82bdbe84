import type { MessageHandler } from '@nestjs/microservices';
import { domainEvents } from '@pets/contracts';

/**
 * Each event of the catalog has exactly one handler, or the process does not start: an event without one would fail
 * for days unnoticed, and with two a failure of the second would repeat the first.
 * @throws Error naming each event that is wrong
 */
export function assertHandlersComplete(server: { getHandlers(): ReadonlyMap<string, MessageHandler> }): void {
  const handlers = server.getHandlers();
  const wrong = [
    ...Object.keys(domainEvents).flatMap((name) => complaintAbout(name, handlers.get(name))),
    ...[...handlers.keys()]
      .filter((name) => !Object.hasOwn(domainEvents, name))
      .map((name) => `${name} is not in the catalog`),
  ];
  if (wrong.length > 0) throw new Error(`event handlers: ${wrong.join(', ')}`);
}

function complaintAbout(name: string, handler: MessageHandler | undefined): string[] {
  if (handler === undefined) return [`${name} has none`];
  return handler.next === undefined ? [] : [`${name} has several`];
}
