import { describe, expect, it } from '@jest/globals';
import { choosePageFormat } from './pages.js';

describe('choosePageFormat', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8', 'html'],
    ['TEXT/HTML', 'html'],
    ['application/json', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['text/html;q=0.5, application/json', 'json'],
    ['text/html;q=0.5, application/json ; q=0.2', 'html'],
    ['text/html, application/json', 'html'],
    ['application/json;q=0', 'text'],
    ['application/json;q=x', 'text'],
    ['*/*', 'text'],
    ['image/avif,image/webp,*/*', 'text'],
    ['', 'text'],
    [',;,;q=1', 'text'],
    [undefined, 'text'],
  ])('%j gets %s', (accept, format) => expect(choosePageFormat(accept)).toBe(format));
});
