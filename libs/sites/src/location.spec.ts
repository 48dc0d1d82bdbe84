import { describe, expect, it } from '@jest/globals';
import { locationOf } from './location.js';

describe('locationOf', () => {
  it.each([
    ['/a/b?c=d&e', 443, 'https://to.test/a/b?c=d&e'],
    ['/a', 8443, 'https://to.test:8443/a'],
    ['//evil.com/%2f..', 443, 'https://to.test//evil.com/%2f..'],
    ['/\\evil.com', 443, 'https://to.test/\\evil.com'],
    ['/%0d%0aSet-Cookie:x', 443, 'https://to.test/%0d%0aSet-Cookie:x'],
    ['/a\r\nb', 443, 'https://to.test/a%0D%0Ab'],
    ['/\u00e9', 443, 'https://to.test/%E9'],
    ['/\u20ac', 443, 'https://to.test/%E2%82%AC'],
  ])('%j on port %d is %j', (target, port, location) => expect(locationOf('to.test', port, target)).toBe(location));
});
