import { describe, expect, it } from '@jest/globals';
import { findKeyFault, messageAuthenticationOf, type MessageKeySettings } from './message-keys.js';

const ring = (...fills: number[]) => ({
  activeId: 'k0',
  keys: new Map(fills.map((fill, index) => [`k${index}`, Buffer.alloc(32, fill)])),
});

describe('findKeyFault', () => {
  it.each<[string, MessageKeySettings, string | undefined]>([
    ['accepts no keys when no MAC is required', { QUEUE_MAC: 'accept' }, undefined],
    ['refuses no keys when a MAC is required', { QUEUE_MAC: 'require' }, 'QUEUE_MAC'],
    ['refuses keys of jobs alone', { QUEUE_MAC: 'accept', QUEUE_KEYS_JOBS: ring(1) }, 'QUEUE_KEYS_JOBS'],
    ['refuses keys of events alone', { QUEUE_MAC: 'require', QUEUE_KEYS_EVENTS: ring(1) }, 'QUEUE_KEYS_EVENTS'],
    [
      'accepts keys of both',
      { QUEUE_MAC: 'require', QUEUE_KEYS_JOBS: ring(1, 2), QUEUE_KEYS_EVENTS: ring(3) },
      undefined,
    ],
    [
      'refuses a key that both share',
      { QUEUE_MAC: 'accept', QUEUE_KEYS_JOBS: ring(1, 2), QUEUE_KEYS_EVENTS: ring(3, 2) },
      'QUEUE_KEYS_EVENTS',
    ],
  ])('%s', (_name, settings, wrong) => expect(findKeyFault(settings)?.name).toBe(wrong));
});

describe('messageAuthenticationOf', () => {
  it('is undefined without keys', () => {
    expect(messageAuthenticationOf({ QUEUE_MAC: 'accept' })).toBeUndefined();
  });

  it('has the keys of both directions', () => {
    expect(
      messageAuthenticationOf({ QUEUE_MAC: 'accept', QUEUE_KEYS_JOBS: ring(1), QUEUE_KEYS_EVENTS: ring(2) }),
    ).toMatchObject({ policy: 'accept', jobKeys: { activeId: 'k0' } });
  });
});
