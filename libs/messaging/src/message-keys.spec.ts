import { describe, expect, it } from '@jest/globals';
import { findKeyFault, messageAuthenticationOf, type MessageKeySettings } from './message-keys.js';

const ring = (...fills: number[]) => ({
  activeId: 'k0',
  keys: new Map(fills.map((fill, index) => [`k${index}`, Buffer.alloc(32, fill)])),
});

describe('the keys of messages', () => {
  it.each<[string, MessageKeySettings, string | undefined]>([
    ['none, where a MAC is not required', { QUEUE_MAC: 'accept' }, undefined],
    ['none, where it is', { QUEUE_MAC: 'require' }, 'QUEUE_MAC'],
    ['of jobs alone', { QUEUE_MAC: 'accept', QUEUE_KEYS_JOBS: ring(1) }, 'QUEUE_KEYS_JOBS'],
    ['of events alone', { QUEUE_MAC: 'require', QUEUE_KEYS_EVENTS: ring(1) }, 'QUEUE_KEYS_EVENTS'],
    ['of both', { QUEUE_MAC: 'require', QUEUE_KEYS_JOBS: ring(1, 2), QUEUE_KEYS_EVENTS: ring(3) }, undefined],
    [
      'of both, one of them the same',
      { QUEUE_MAC: 'accept', QUEUE_KEYS_JOBS: ring(1, 2), QUEUE_KEYS_EVENTS: ring(3, 2) },
      'QUEUE_KEYS_EVENTS',
    ],
  ])('%s', (_name, settings, wrong) => expect(findKeyFault(settings)?.name).toBe(wrong));

  it('are used only where both are there', () => {
    expect(messageAuthenticationOf({ QUEUE_MAC: 'accept' })).toBeUndefined();
    expect(
      messageAuthenticationOf({ QUEUE_MAC: 'accept', QUEUE_KEYS_JOBS: ring(1), QUEUE_KEYS_EVENTS: ring(2) }),
    ).toMatchObject({ policy: 'accept', jobKeys: { activeId: 'k0' } });
  });
});
