import { expect, it } from '@jest/globals';
import { redirectingOf, roleOf, withSwapped } from './domain-role.js';

const apex = { name: 'xn--bcher-kva.example', unicodeName: 'bücher.example' };
const www = { name: 'www.xn--bcher-kva.example', unicodeName: 'www.bücher.example' };
const config = {
  platformRedirect: true,
  domains: {
    primary: 'bücher.example',
    redirects: [
      { from: www.name, to: 'bücher.example', status: 301 as const },
      { from: 'old.example', to: apex.name, status: 308 as const },
    ],
  },
};

it('a pair has two roles', () => {
  expect([apex, www].map((domain) => roleOf(domain, config))).toEqual(['Primary', 'Redirects to bücher.example']);
  expect(redirectingOf([apex, www], config)).toBe(www);
  expect(redirectingOf([apex, www], { domains: {} })).toBeUndefined();
});

it('the roles are swapped everywhere, and swapped back', () => {
  const swapped = withSwapped([apex, www], config);
  expect(swapped).toEqual({
    platformRedirect: true,
    domains: {
      primary: www.name,
      redirects: [
        { from: apex.name, to: www.name, status: 301 },
        { from: 'old.example', to: www.name, status: 308 },
      ],
    },
  });
  expect(redirectingOf([apex, www], swapped)).toBe(apex);
  expect(withSwapped([www, apex], swapped).domains.primary).toBe(apex.name);
});
