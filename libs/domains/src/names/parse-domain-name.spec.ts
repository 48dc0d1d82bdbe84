import { describe, expect, it } from '@jest/globals';
import { parseDomainName } from './parse-domain-name.js';

const policy = { platformDomain: 'pets.example-platform.com', allowSpecialUseNames: false };
const label63 = 'a'.repeat(63);

describe('parseDomainName', () => {
  it.each([
    // typed, name, unicode, apex
    ['docs.example.com', 'docs.example.com', 'docs.example.com', 'example.com'],
    [' Docs.Example.COM. ', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['example.com', 'example.com', 'example.com', 'example.com'],
    ['a.b.example.co.uk', 'a.b.example.co.uk', 'a.b.example.co.uk', 'example.co.uk'],
    ['me.github.io', 'me.github.io', 'me.github.io', 'me.github.io'],
    ['bücher.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com', 'example.com'],
    ['BÜCHER.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com', 'example.com'],
    ['例え.jp', 'xn--r8jz45g.jp', '例え.jp', 'xn--r8jz45g.jp'],
    [`${label63}.example.com`, `${label63}.example.com`, `${label63}.example.com`, 'example.com'],
    ['1.example.com', '1.example.com', '1.example.com', 'example.com'],
  ])('takes %j', (typed, name, unicodeName, apexName) => {
    expect(parseDomainName(typed, policy)).toEqual({
      ok: true,
      name,
      unicodeName,
      apexName,
      isApex: name === apexName,
    });
  });

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['localhost', 'single label'],
    ['com', 'single label'],
    ['co.uk', 'public suffix'],
    ['github.io', 'public suffix'],
    ['127.0.0.1', 'IP address'],
    ['0x7f.1', 'IP address'],
    ['2130706433', 'single label'],
    ['::1', 'bare host name'],
    ['https://docs.example.com/x', 'bare host name'],
    ['docs.example.com:443', 'bare host name'],
    ['user@example.com', 'bare host name'],
    ['docs example.com', 'bare host name'],
    ['%65xample.com', 'bare host name'],
    ['*.example.com', 'Wildcard'],
    ['a..example.com', 'empty label'],
    ['.example.com', 'empty label'],
    ['-a.example.com', 'may only hold'],
    ['a-.example.com', 'may only hold'],
    ['a_b.example.com', 'may only hold'],
    [`${label63}a.example.com`, 'at most 63'],
    [`${`${label63}.`.repeat(4)}com`, 'at most 253'],
    ['①②.com', 'host name'],
    ['docs.test', 'special-use'],
    ['printer.local', 'special-use'],
    ['pets.example-platform.com', 'belong to the platform'],
    ['x.cname.pets.example-platform.com', 'belong to the platform'],
  ])('refuses %j and says why', (typed, reason) => {
    const parsed = parseDomainName(typed, policy);
    expect(parsed.ok ? 'taken' : parsed.reason).toContain(reason);
  });

  it('takes special-use names where the configuration allows them', () => {
    expect(parseDomainName('docs.acme.test', { ...policy, allowSpecialUseNames: true })).toMatchObject({
      ok: true,
      apexName: 'acme.test',
    });
  });
});
