export {
  openMessaging,
  openQueueTelemetry,
  type Messaging,
  type MessagingOptions,
  type QueueState,
} from './messaging.js';
export { droppedReasons, type DroppedReason, type MessageObserver, type QueueName } from './message-guard.js';
export { messageAuthenticationOf } from './message-mac.js';
export type { StoreMemory } from './backend.js';
export type { MessagingLog } from './error-log.js';
export type { DomainJob, DomainJobHandlers, Traced, WebhookJob, WebhookJobHandlers } from './leased-jobs.js';
export type { Consumer } from './consumer.js';
export type { DomainEventProducer } from './producer-queue.js';
export { createEventServer } from './bullmq.server.js';
export { EventContext, OnEvent } from './on-event.decorator.js';
export { Batcher } from './batcher.js';
export { connectRedis, type RedisClient } from './redis.backend.js';
