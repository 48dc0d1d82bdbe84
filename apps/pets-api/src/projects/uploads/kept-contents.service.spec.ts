import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HeldContents, joinBits } from './kept-contents.service.js';

const hashes = Array.from({ length: 20 }, (_, nth) => nth.toString(16).padStart(64, '0'));

it('names one path of each content that is not held', () => {
  const contents = fc.array(fc.constantFrom(...hashes), { minLength: 1, maxLength: 40 });
  const some = fc.subarray(hashes);
  fc.assert(
    fc.property(contents, some, some, (listed, known, sent) => {
      const files = listed.map((sha256, nth) => ({ path: `${String(nth).padStart(2, '0')}.html`, sha256, bytes: 1 }));
      const held = new HeldContents(files);
      const bits = joinBits(held.bitsOf(known), held.bitsOf(sent));
      const lacking = held.lackingIn(bits);
      const all = new Set([...known, ...sent]);
      expect(lacking.map(({ sha256 }) => sha256)).toEqual([...new Set(listed)].filter((each) => !all.has(each)));
      expect(lacking.map(({ path }) => path)).toEqual(lacking.map(({ path }) => path).toSorted());
      // The order of the manifest does not matter.
      expect(new HeldContents(files.toReversed()).lackingIn(bits)).toEqual(lacking);
    }),
  );
});
