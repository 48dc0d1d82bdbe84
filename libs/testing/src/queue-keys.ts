const ring = (id: string, fill: number) => ({ activeId: id, keys: new Map([[id, Buffer.alloc(32, fill)]]) });
const text = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;

/** The keys of messages in tests, parsed. */
export const testQueueKeys = { QUEUE_KEYS_JOBS: ring('j1', 1), QUEUE_KEYS_EVENTS: ring('e1', 2) };

/** The same keys as settings. */
export const testQueueSettings = { QUEUE_KEYS_JOBS: text('j1', 1), QUEUE_KEYS_EVENTS: text('e1', 2) };

/** The same keys, as `openMessaging` takes them. */
export const testAuthentication = {
  jobKeys: testQueueKeys.QUEUE_KEYS_JOBS,
  eventKeys: testQueueKeys.QUEUE_KEYS_EVENTS,
};
