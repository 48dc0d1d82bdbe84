import { describe, expect, it } from '@jest/globals';
import { displayNameOf, storedNameOf, toUnicode } from './unicode-name.js';

describe('displayNameOf', () => {
  it.each([
    ['docs.example.com', 'docs.example.com'],
    ['xn--bcher-kva.example.com', 'bücher.example.com (xn--bcher-kva.example.com)'],
    ['_platform-challenge.xn--bcher-kva.de', '_platform-challenge.bücher.de (_platform-challenge.xn--bcher-kva.de)'],
    ['xn--80ak6aa92e.com', 'аррӏе.com (xn--80ak6aa92e.com)'],
    ['xn--a.example.com', 'xn--a.example.com'],
    ['*.xn--bcher-kva.de', '*.bücher.de (*.xn--bcher-kva.de)'],
    ['', ''],
  ])('shows %j as %j', (name, display) => expect(displayNameOf(name)).toBe(display));
});

describe('storedNameOf', () => {
  it.each([
    ['Docs.Example.com.', 'docs.example.com'],
    ['BÜCHER.example.com', 'xn--bcher-kva.example.com'],
    ['0x7f.1', '0x7f.1'],
    ['Ｄocs。例え．com｡', 'docs.xn--r8jz45g.com'],
  ])('stores %s as %s', (written, name) => expect(storedNameOf(written)).toBe(name));

  // The URL parser alone would take another part of the text for the name.
  it.each(['é@example.com', 'é:80', 'é/example.com', 'é?example.com', 'é#example.com', 'é\\example.com', 'é%41.com'])(
    'has no name for %s',
    (written) => expect(storedNameOf(written)).toBeNull(),
  );
});

describe('toUnicode', () => {
  it.each([
    ['bcher-kva', 'bücher'],
    ['r8jz45g', '例え'],
    ['mnchen-3ya', 'münchen'],
    ['fiqs8s', '中国'],
    ['e1afmkfd', 'пример'],
    ['ls8h', '💩'],
    ['maana-pta', 'mañana'],
    // RFC 3492 §7.1 (L): 3年B組金八先生
    ['3b-ww4c5e180e575a65lsy2b', '3年b組金八先生'],
    // Deltas around the bound of the bias (RFC 3492 §6.1), and the last digit.
    ['0ce373sjme', '㶊䐝ᐄ'],
    ['hxakic4aa63f2baatoa1e0e', 'ελλάδαкириллица'],
    ['bcherbcher-9dbf', 'bücherbücher'],
  ])('decodes xn--%s', (encoded, text) => expect(toUnicode(`xn--${encoded}`)).toBe(text));

  it.each(['a!', 'bcher-kv{', 'bcher-kv:', '99999999999', 'zzzzzzzzz', 'y715v', 'BCHER-KVA', '-abc', ''])(
    'refuses xn--%s, which is not Punycode',
    (encoded) => expect(toUnicode(`xn--${encoded}`)).toBeNull(),
  );

  it('refuses Punycode of a character that IDNA does not allow', () => {
    expect(toUnicode('xn--dn32g')).toBeNull(); // U+10FFFF
  });
});
