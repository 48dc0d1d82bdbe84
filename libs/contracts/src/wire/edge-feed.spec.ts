import { describe, expect, it } from '@jest/globals';
import { chooseEdgeFeedProtocol } from './edge-feed.js';

describe('chooseEdgeFeedProtocol', () => {
  const supported = { oldest: 2, newest: 4 };

  it.each([
    ['an edge of the same release', 4, 4],
    ['an edge of an earlier release', 3, 3],
    ['the oldest supported edge', 2, 2],
    ['an edge of a later release', 5, 4],
    ['an edge that is too old', 1, null],
  ])('answers %s', (_name, asked, spoken) => expect(chooseEdgeFeedProtocol(asked, supported)).toBe(spoken));

  it('supports the edges of the release before, which send no protocol', () =>
    expect(chooseEdgeFeedProtocol(1)).toBe(1));
});
