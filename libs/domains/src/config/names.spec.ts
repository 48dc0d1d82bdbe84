import { describe, expect, it } from '@jest/globals';
import type { DomainConfig } from '@pets/contracts';
import { canonicalName } from './canonical-name.js';
import { pairedName } from './paired-name.js';
import { withoutDomain } from './without-domain.js';

describe('canonicalName', () => {
  it.each([
    ['Docs.Example.COM.', 'docs.example.com'],
    [' bücher.example.com ', 'xn--bcher-kva.example.com'],
    ['xn--bcher-kva.example.com', 'xn--bcher-kva.example.com'],
    ['Docs.acme.test', 'docs.acme.test'],
    ['no name', 'no name'],
  ])('of %p is %p', (written, name) => expect(canonicalName(written)).toBe(name));
});

describe('pairedName', () => {
  const of = (name: string, apexName: string, unicodeName = name) => pairedName({ name, apexName, unicodeName });
  it.each([
    ['an apex', of('example.com', 'example.com'), 'www.example.com'],
    ['its www name', of('www.example.com', 'example.com'), 'example.com'],
    ['an international apex', of('xn--bcher-kva.de', 'xn--bcher-kva.de', 'bücher.de'), 'www.bücher.de'],
    ['an international www name', of('www.xn--bcher-kva.de', 'xn--bcher-kva.de', 'www.bücher.de'), 'bücher.de'],
    ['another name', of('docs.example.com', 'example.com'), null],
    ['a www further down', of('www.docs.example.com', 'example.com'), null],
  ])('of %s', (_name, paired, expected) => expect(paired).toBe(expected));
});

describe('withoutDomain', () => {
  const config: DomainConfig = {
    domains: {
      primary: 'Bücher.example.com',
      redirects: [
        { from: 'a.example.com', to: 'bücher.example.com', status: 301 },
        { from: 'BÜCHER.example.com', to: 'c.example.com', status: 302 },
        { from: 'a2.example.com', to: 'c.example.com', status: 307 },
      ],
    },
  };

  it('drops what names the domain, however it is written, and keeps the rest', () => {
    expect(withoutDomain(config, 'xn--bcher-kva.example.com')).toEqual({
      domains: { redirects: [{ from: 'a2.example.com', to: 'c.example.com', status: 307 }] },
    });
  });

  it('keeps the primary domain where it is another one', () => {
    expect(withoutDomain(config, 'a2.example.com')).toEqual({
      domains: { primary: 'Bücher.example.com', redirects: config.domains.redirects.slice(0, 2) },
    });
  });

  it('drops the redirect of the platform’s host with the primary domain alone', () => {
    const redirecting: DomainConfig = { ...config, platformRedirect: true };
    expect(withoutDomain(redirecting, 'a2.example.com')).toMatchObject({ platformRedirect: true });
    expect(withoutDomain(redirecting, 'xn--bcher-kva.example.com')).not.toHaveProperty('platformRedirect');
  });

  it('drops the primary domain that no redirect names', () => {
    const alone: DomainConfig = { domains: { primary: 'a.example.com', redirects: [] } };
    expect(withoutDomain(alone, 'a.example.com')).toStrictEqual({ domains: { redirects: [] } });
  });

  it('makes no primary domain where there was none', () => {
    const { redirects } = config.domains;
    expect(withoutDomain({ domains: { redirects } }, 'a2.example.com')).toStrictEqual({
      domains: { redirects: redirects.slice(0, 2) },
    });
  });

  it('is the same configuration when nothing names it', () => {
    expect(withoutDomain(config, 'other.example.com')).toBe(config);
  });
});
