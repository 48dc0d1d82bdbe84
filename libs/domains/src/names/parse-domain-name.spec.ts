import { describe, expect, it } from '@jest/globals';
import { isPublicSuffix, pairedName, parseDomainName } from './parse-domain-name.js';

const policy = { platformDomain: 'pets.example-platform.com', allowSpecialUseNames: false };
const label63 = 'a'.repeat(63);
/** A subdomain with this many characters. */
const nameOf = (length: number) => `${`${label63}.`.repeat(3)}${'a'.repeat(length - 196)}.com`;
const name253 = nameOf(253);

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
    ['xn--bcher-kva.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com', 'example.com'],
    ['例え。jp', 'xn--r8jz45g.jp', '例え.jp', 'xn--r8jz45g.jp'],
    // Full-width letters of an input method, and other characters that browsers map (UTS #46 §4).
    ['ｄｏｃｓ．ｅｘａｍｐｌｅ．ｃｏｍ', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['Ｂüｃｈｅｒ.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com', 'example.com'],
    ['①②.com', '12.com', '12.com', '12.com'],
    ['ﬁle.example.com', 'file.example.com', 'file.example.com', 'example.com'],
    ['straße.de', 'xn--strae-oqa.de', 'straße.de', 'xn--strae-oqa.de'],
    ['bu\u0308cher.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com', 'example.com'],
    ['https://docs.example.com/x?y=1#z', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['HTTP://Docs.Example.com:8080', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['//docs.example.com', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['docs.example.com:443', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['docs.example.com/', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['docs.example.com.:443/', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['\u200bdocs.example.com\ufeff', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['https://bücher.example.com/', 'xn--bcher-kva.example.com', 'bücher.example.com', 'example.com'],
    [`${label63}.example.com`, `${label63}.example.com`, `${label63}.example.com`, 'example.com'],
    [name253, name253, name253, `${'a'.repeat(57)}.com`],
    [`*.${nameOf(237)}`, `*.${nameOf(237)}`, `*.${nameOf(237)}`, `${'a'.repeat(41)}.com`],
    ['abc.de:443', 'abc.de', 'abc.de', 'abc.de'],
    ['docs.example.com//x', 'docs.example.com', 'docs.example.com', 'example.com'],
    ['*.example.com', '*.example.com', '*.example.com', 'example.com'],
    [' https://*.Docs.Example.co.uk/ ', '*.docs.example.co.uk', '*.docs.example.co.uk', 'example.co.uk'],
    ['*.bücher.de.', '*.xn--bcher-kva.de', '*.bücher.de', 'xn--bcher-kva.de'],
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
    ['', 'The name is empty'],
    ['   ', 'The name is empty'],
    ['localhost', 'single label'],
    ['com', 'single label'],
    ['co.uk', 'public suffix'],
    ['github.io', 'public suffix'],
    ['127.0.0.1', 'IP address'],
    ['0x7f.1', 'IP address'],
    ['127.1', 'IP address'],
    ['2130706433', 'IP address'],
    ['0x7f000001', 'IP address'],
    ['017700000001', 'IP address'],
    ['http://127.0.0.1:8080/', 'IP address'],
    ['::1', 'IP address'],
    ['2001:db8::7', 'IP address'],
    ['[::1]', 'IP address'],
    ['https://[2001:db8::7]:443/', 'IP address'],
    ['a.b.c.d.5', 'cannot end in a number'],
    ['https://', 'The name is empty'],
    ['1https://example.com', 'single label'],
    ['x[::1]', 'Enter only the host name'],
    ['[::1]x', 'Enter only the host name'],
    ['x::1', 'Enter only the host name'],
    ['::1x', 'Enter only the host name'],
    ['user@example.com', 'mail'],
    ['https://user:pass@example.com/', 'mail'],
    ['docs:x.example.com', 'Enter only the host name'],
    ['a.example.com, b.example.com', 'Enter only the host name'],
    ['xn--a.example.com', 'xn--'],
    ['xn--zzzzzzzzz.example.com', 'xn--'],
    ['ab--cd.example.com', 'reserved'],
    ['docs example.com', 'Enter only the host name'],
    ['%65xample.com', 'Enter only the host name'],
    ['docs\\example.com', 'single label'],
    ['*', 'complete first label'],
    ['*.', 'complete first label'],
    ['*.*.example.com', 'complete first label'],
    ['a.*.com', 'complete first label'],
    ['a*.example.com', 'complete first label'],
    ['**.example.com', 'complete first label'],
    ['*.com', 'single label'],
    ['*.co.uk', 'public suffix'],
    ['*.github.io', 'public suffix'],
    ['*..example.com', 'empty label'],
    ['*.127.0.0.1', 'IP address'],
    ['*.pets.example-platform.com', 'belong to the platform'],
    ['*.x.pets.example-platform.com', 'belong to the platform'],
    ['*.example-platform.com', 'would cover pets.example-platform.com'],
    [`*.${name253}`, 'at most 253'],
    [`*.${nameOf(238)}`, '_acme-challenge'],
    [`*.${nameOf(238)}`, 'would have 254 characters; at most 253'],
    ['a..example.com', 'empty label'],
    ['.example.com', 'empty label'],
    ['-a.example.com', 'may contain only'],
    ['a-.example.com', 'may contain only'],
    ['a_b.example.com', 'may contain only'],
    [`a${'\u0315\u0300\u05ae\u0316'.repeat(60)}.example.com`, 'cannot be written as a host name'],
    ['ü'.repeat(507), 'has 507 characters; at most 253'],
    [`${label63}a.example.com`, `"${'a'.repeat(20)}…" has 64 characters; at most 63`],
    [`${`${label63}.`.repeat(4)}com`, 'The name has 259 characters; at most 253'],
    ['１２７．０．０．１', 'IP address'],
    ['２１３０７０６４３３', 'IP address'],
    ['０ｘ７ｆ.1', 'IP address'],
    ['ｄｏｃｓ＿ａ.example.com', 'may contain only'],
    ['ｕｓｅｒ＠example.com', 'host name'],
    ['ａ％.example.com', 'host name'],
    ['ｃｏ.uk', 'public suffix'],
    ['docs.test', 'special-use'],
    ['printer.local', 'special-use'],
    ['a.localhost', 'special-use'],
    ['a.invalid', 'special-use'],
    ['a.example', 'special-use'],
    ['a.internal', 'special-use'],
    ['a.onion', 'special-use'],
    ['a.alt', 'special-use'],
    ['a.home.arpa', '.home.arpa is a special-use'],
    ['1.in-addr.arpa', '.arpa is a special-use'],
    ['pets.example-platform.com', 'belong to the platform'],
    ['x.cname.pets.example-platform.com', 'belong to the platform'],
  ])('refuses %j and says why', (typed, reason) => {
    const parsed = parseDomainName(typed, policy);
    expect(parsed.ok ? 'taken' : parsed.reason).toContain(reason);
  });

  it.each(['example.com', 'a.example.net', 'example.org', 'abc--d.example.com', 'docs.example.c5', 'docs.example.5c'])(
    'takes %s, which is ordinary',
    (typed) => {
      expect(parseDomainName(typed, policy).ok).toBe(true);
    },
  );

  it('takes special-use names where the configuration allows them', () => {
    expect(parseDomainName('docs.acme.test', { ...policy, allowSpecialUseNames: true })).toMatchObject({
      ok: true,
      apexName: 'acme.test',
    });
  });
});

describe('isPublicSuffix', () => {
  it.each([
    ['of registries', 'co.uk', true],
    ['of the private section', 'github.io', true],
    ['in capitals, with a final dot', 'GitHub.io.', true],
    ['below a suffix', 'shop.github.io', false],
    ['that anybody can register', 'pets.com', false],
    ['of an unknown top-level domain', 'pets.localhost', false],
    ['that is only an unknown top-level domain', 'localhost', false],
  ])('of a name %s: %s', (_kind, name, expected) => expect(isPublicSuffix(name)).toBe(expected));
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
