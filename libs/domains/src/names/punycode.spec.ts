import { describe, expect, it } from '@jest/globals';
import { decodePunycode } from './punycode.js';

describe('decodePunycode', () => {
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
    // The largest code point there is.
    ['dn32g', '\u{10ffff}'],
    // Deltas around the bound of the bias (RFC 3492 §6.1), and the last digit.
    ['0ce373sjme', '㶊䐝ᐄ'],
    ['hxakic4aa63f2baatoa1e0e', 'ελλάδαкириллица'],
    ['bcherbcher-9dbf', 'bücherbücher'],
  ])('reads %s', (encoded, text) => expect(decodePunycode(encoded)).toBe(text));

  it.each(['a!', 'bcher-kv{', 'bcher-kv:', '99999999999', 'zzzzzzzzz', 'y715v'])('refuses %j', (encoded) =>
    expect(decodePunycode(encoded)).toBeNull(),
  );
});
