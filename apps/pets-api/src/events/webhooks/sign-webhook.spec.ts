import { describe, expect, it } from '@jest/globals';
import { generateWebhookSecret, signWebhook } from './sign-webhook.js';

/** The example of the Standard Webhooks specification and of its libraries. */
const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', sentAt: new Date(1_614_265_330_000) },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('a request', () => {
  it('is signed as the specification’s example is', () => {
    expect(signWebhook(example.message, [example.secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': example.signature,
    });
  });

  it('is signed by each secret, in order, with spaces between', () => {
    const newer = generateWebhookSecret();
    const { 'webhook-signature': both = '' } = signWebhook(example.message, [newer, example.secret]);
    const [first, second, ...rest] = both.split(' ');
    expect([first, rest]).toEqual([signWebhook(example.message, [newer])['webhook-signature'], []]);
    expect(second).toBe(example.signature);
  });

  it.each([
    ['id', { id: 'msg_other' }],
    ['body', { body: '{"test": 2432232315}' }],
    ['time', { sentAt: new Date(1_614_265_331_000) }],
  ])('with another %s has another signature', (_what, other) => {
    const { 'webhook-signature': signature } = signWebhook({ ...example.message, ...other }, [example.secret]);
    expect(signature).not.toBe(example.signature);
  });
});

it('a secret has 32 bytes, and no two are the same', () => {
  const [one, other] = [generateWebhookSecret(), generateWebhookSecret()];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one).not.toBe(other);
});
