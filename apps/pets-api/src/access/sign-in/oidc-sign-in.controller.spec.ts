import { describe, expect, it } from '@jest/globals';
import { returnPathOf } from './oidc-sign-in.controller.js';

const ORIGIN = 'https://api.example';

describe('the path to which a person returns', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/audit',
    '/dashboard/projects/a?b=c',
    '/dashboard/?q=//evil.example',
  ])('is the page that was open: %s', (path) => {
    expect(returnPathOf(path, ORIGIN)).toBe(path);
  });

  it.each([
    '',
    '/',
    '/docs',
    '/dashboardx',
    '//evil.example/dashboard/',
    '/\\evil.example/dashboard/',
    '/dashboard\\..\\..\\evil',
    '/\t/evil.example/dashboard',
    '/dashboard/\r\nset-cookie: a=b',
    'https://evil.example/dashboard/',
    'https://api.example/dashboard/',
    'javascript:alert(1)',
    '/dashboard/../v1/pets',
    '/dashboard/%2e%2e/v1/pets',
    '/dashboard/..//evil.example',
    '/dashboard/sign-in/callback?code=x',
    `/dashboard/${'a'.repeat(1_000)}`,
  ])('is the start page instead of %j', (path) => {
    expect(returnPathOf(path, ORIGIN)).toBe('/dashboard/');
  });
});
