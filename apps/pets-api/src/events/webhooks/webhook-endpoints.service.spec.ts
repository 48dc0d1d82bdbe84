import { describe, expect, it } from '@jest/globals';
import { validateWebhookUrl } from './webhook-endpoints.service.js';

const valid = ['https://hooks.example.com/pets'];

const privateUrls = [
  'http://127.0.0.1:9000/',
  'http://10.1.2.3/',
  'http://[::1]:9000/',
  'http://localhost/',
  'http://hooks.localhost/',
];

const publicUrls = [
  'http://hooks.example.com/pets',
  'http://localhost.example.com/',
  'http://1.1.1.1/',
  'http://[2606:4700::1]/',
];

describe('validateWebhookUrl', () => {
  it.each([...privateUrls, ...publicUrls])('requires https: %s', (url) => {
    expect(validateWebhookUrl(url, false)).toBe('must be https');
  });

  it.each([...valid, ...privateUrls])('allows private addresses in development: %s', (url) => {
    expect(validateWebhookUrl(url, true)).toBeNull();
  });

  it.each(publicUrls)('requires https for public addresses in development: %s', (url) => {
    expect(validateWebhookUrl(url, true)).toContain('private');
  });

  it.each(valid)('allows https: %s', (url) => {
    expect(validateWebhookUrl(url, false)).toBeNull();
  });
});
