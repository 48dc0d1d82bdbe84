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
  ])('reads %s', (encoded, text) => expect(decodePunycode(encoded)).toBe(text));

  it.each(['a!', '99999999999', 'zzzzzzzzz'])('refuses %j', (encoded) => expect(decodePunycode(encoded)).toBeNull());
});
