import { describe, expect, it } from '@jest/globals';
import { parseJsonBody } from '../json-body.js';
import { fingerprintOf } from './fingerprint.js';

const of = (json: string) => fingerprintOf(parseJsonBody(Buffer.from(json))).toString('hex');

describe('the fingerprint of a body', () => {
  it.each([
    ['{"a":1,"b":{"c":[1],"d":2}}', ' { "b" : { "d":2, "c":[ 1 ] }, "a":1 } '],
    ['{"name":"\\u0052ex"}', '{"name":"Rex"}'],
    ['{"id":9007199254740993}', '{"id":9007199254740993}'],
    ['', ''],
  ])('is the same for %s and %s', (one, other) => expect(of(one)).toBe(of(other)));

  it.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":1}', '{"a":1,"b":null}'],
    ['[1,2]', '[2,1]'],
    ['{"id":9007199254740993}', '{"id":9007199254740992}'],
    ['', '{}'],
    ['', '""'],
  ])('tells %s from %s', (one, other) => expect(of(one)).not.toBe(of(other)));
});
