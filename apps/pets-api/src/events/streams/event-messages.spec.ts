import { describe, expect, it } from '@jest/globals';
import { RequestError } from '@pets/platform';
import { parseLastEventId } from './event-messages.js';

describe('parseLastEventId', () => {
  it.each([
    [undefined, null],
    ['0', 0n],
    ['7', 7n],
    ['999999999999999999', 999_999_999_999_999_999n],
  ])('reads %s as %s', (header, after) => expect(parseLastEventId(header)).toBe(after));

  it.each(['', '-1', '+1', '01', '1.0', '1e3', '7, 8', 'x', '9999999999999999999', '٣'])('refuses %j', (header) =>
    expect(() => parseLastEventId(header)).toThrow(RequestError),
  );
});
