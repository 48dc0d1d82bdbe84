import type { MacKeyRing } from './message-mac.js';

/** The settings of both processes. Each direction has its own keys, so that no message can be sent back as another one. */
interface MessageKeySettings {
  readonly QUEUE_KEYS_JOBS: MacKeyRing;
  readonly QUEUE_KEYS_EVENTS: MacKeyRing;
}

export interface MessageAuthentication {
  /** From the API to the worker. */
  readonly jobKeys: MacKeyRing;
  /** From the worker to the API. */
  readonly eventKeys: MacKeyRing;
}

/** The first wrong setting and its error; null when all are right. */
export function findKeyFault({
  QUEUE_KEYS_JOBS: jobs,
  QUEUE_KEYS_EVENTS: events,
}: MessageKeySettings): { readonly name: string; readonly message: string } | null {
  const isShared = [...events.keys.values()].some((key) => [...jobs.keys.values()].some((other) => other.equals(key)));
  return isShared
    ? { name: 'QUEUE_KEYS_EVENTS', message: 'has a key of QUEUE_KEYS_JOBS: each direction needs its own keys' }
    : null;
}

export function messageAuthenticationOf({
  QUEUE_KEYS_JOBS: jobKeys,
  QUEUE_KEYS_EVENTS: eventKeys,
}: MessageKeySettings): MessageAuthentication {
  return { jobKeys, eventKeys };
}
