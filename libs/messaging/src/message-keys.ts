import type { MacKeyRing } from './message-mac.js';

export const macPolicies = ['accept', 'require'] as const;
type MacPolicy = (typeof macPolicies)[number];

/** The settings of both processes. Each direction has its own keys, so that no message can be sent back as another one. */
export interface MessageKeySettings {
  readonly QUEUE_KEYS_JOBS?: MacKeyRing | undefined;
  readonly QUEUE_KEYS_EVENTS?: MacKeyRing | undefined;
  readonly QUEUE_MAC: MacPolicy;
}

export interface MessageAuthentication {
  readonly policy: MacPolicy;
  /** From the API to the worker. */
  readonly jobKeys: MacKeyRing;
  /** From the worker to the API. */
  readonly eventKeys: MacKeyRing;
}

/** The first wrong setting and its error; null when all are right. */
export function findKeyFault(settings: MessageKeySettings): { readonly name: string; readonly message: string } | null {
  const { QUEUE_KEYS_JOBS: jobs, QUEUE_KEYS_EVENTS: events, QUEUE_MAC } = settings;
  if (jobs === undefined && events === undefined)
    return QUEUE_MAC === 'accept'
      ? null
      : { name: 'QUEUE_MAC', message: 'require needs QUEUE_KEYS_JOBS and QUEUE_KEYS_EVENTS' };
  const message = 'requires the keys of the other direction: set both or none';
  if (jobs === undefined) return { name: 'QUEUE_KEYS_EVENTS', message };
  if (events === undefined) return { name: 'QUEUE_KEYS_JOBS', message };
  const isShared = [...events.keys.values()].some((key) => [...jobs.keys.values()].some((other) => other.equals(key)));
  return isShared
    ? { name: 'QUEUE_KEYS_EVENTS', message: 'has a key of QUEUE_KEYS_JOBS: each direction needs its own keys' }
    : null;
}

/** Undefined without keys: messages are then neither signed nor checked. */
export function messageAuthenticationOf(settings: MessageKeySettings): MessageAuthentication | undefined {
  const { QUEUE_KEYS_JOBS: jobKeys, QUEUE_KEYS_EVENTS: eventKeys, QUEUE_MAC: policy } = settings;
  return jobKeys === undefined || eventKeys === undefined ? undefined : { policy, jobKeys, eventKeys };
}
