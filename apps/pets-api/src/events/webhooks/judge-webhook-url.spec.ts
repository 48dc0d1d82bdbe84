import { expect, it } from '@jest/globals';
import { findUrlFault } from './judge-webhook-url.js';

it.each([
  ['https://hooks.example.com/pets', null, null],
  ['http://hooks.example.com/pets', 'must be https', expect.stringContaining('private')],
  ['http://127.0.0.1:9000/', 'must be https', null],
  ['http://10.1.2.3/', 'must be https', null],
  ['http://[::1]:9000/', 'must be https', null],
  ['http://localhost/', 'must be https', null],
  ['http://hooks.localhost/', 'must be https', null],
  ['http://localhost.example.com/', 'must be https', expect.stringContaining('private')],
  ['http://1.1.1.1/', 'must be https', expect.stringContaining('private')],
  ['http://[2606:4700::1]/', 'must be https', expect.stringContaining('private')],
])('%s', (url, fault, faultInDevelopment) => {
  expect(findUrlFault(url, false)).toEqual(fault);
  expect(findUrlFault(url, true)).toEqual(faultInDevelopment);
});
