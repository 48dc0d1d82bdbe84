import { expect, it } from '@jest/globals';
import { displayNameOf } from './display-name.js';

it.each([
  ['docs.example.com', 'docs.example.com'],
  ['xn--bcher-kva.example.com', 'bücher.example.com (xn--bcher-kva.example.com)'],
  ['_platform-challenge.xn--bcher-kva.de', '_platform-challenge.bücher.de (_platform-challenge.xn--bcher-kva.de)'],
  ['xn--80ak6aa92e.com', 'аррӏе.com (xn--80ak6aa92e.com)'],
  ['xn--a.example.com', 'xn--a.example.com'],
  ['*.xn--bcher-kva.de', '*.bücher.de (*.xn--bcher-kva.de)'],
  ['', ''],
])('%s is read as %s', (name, display) => expect(displayNameOf(name)).toBe(display));
