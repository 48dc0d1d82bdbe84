import { expect, it } from '@jest/globals';
import { explainNearMiss, explainTokenNearMiss } from './near-miss.js';

const expected = '0123456789abcdef0123.cname.pets.example';
const rest = '.cname.pets.example';

it.each([
  ['the zone appended', `${expected}.acme.com`, 'appended the zone acme.com'],
  ['the complete name appended', `${expected}.docs.acme.com`, 'appended the zone docs.acme.com'],
  ['the platform’s domain doubled', `${expected}.pets.example`, 'continues with .pets.example'],
  ['cut off in the middle', expected.slice(0, 24), 'truncated: it has 24 of 39'],
  ['a token that is cut off', `0123456789abcdef${rest}`, 'first label is truncated: it has 16 of 20'],
  ['a missing character', `012345678abcdef0123${rest}`, 'One character is missing after “012345678”'],
  ['a character too many', `00123456789abcdef0123${rest}`, 'an extra character after “0”'],
  ['a wrong character', `0123456789abcdeg0123${rest}`, 'One character is wrong after “3456789abcde”'],
  ['a wrong first character', `x123456789abcdef0123${rest}`, 'One character is wrong at the beginning'],
  ['two swapped characters', `0123456798abcdef0123${rest}`, 'differs in 2 characters, first after “01234567”'],
  [
    'two characters missing at the beginning',
    `23456789abcdef0123${rest}`,
    'differs in 2 characters, first at the beginning',
  ],
  ['three wrong characters', `x12345678yabcdef0z23${rest}`, 'differs in 3 characters'],
  ['three characters missing in a row', `0123456abcdef0123${rest}`, 'differs in 3 characters'],
  ['four wrong characters', `x12345678yabcdef0zz3${rest}`, 'target of another domain'],
  ['a slip in the domain', '0123456789abcdef0123.cname.pet.example', 'One character is missing'],
  ['the target of another domain', `ffffffffffffffffffff${rest}`, 'target of another domain'],
])('%s is explained', (_case, seen, hint) => {
  expect(explainNearMiss(seen, expected, 'docs.acme.com')?.hint).toContain(hint);
});

it.each([['somewhere.else.example'], [''], [expected]])('%j is simply another value', (seen) => {
  expect(explainNearMiss(seen, expected, 'docs.acme.com')).toBeNull();
});

const token = 'p4V0nJ2mXq8Tr6Wc1Zy7Hk';
const host = '_platform-challenge.docs.acme.com';

it.each([
  ['cut off', token.slice(0, 12), 'truncated: it has 12 of 22'],
  ['cut off in quotes', `"${token.slice(0, 12)}"`, 'truncated: it has 12 of 22'],
  ['in quotes', `"${token}"`, 'quotation marks'],
  ['in typographic quotes', `“${token}”`, 'quotation marks'],
  ['in escaped quotes', `\\"${token}\\"`, 'quotation marks'],
  ['after a key', `pets-verification=${token}`, 'begins with “pets-verification=”'],
  ['after a key, in quotes', `token: "${token}"`, 'begins with “token: "”'],
  ['between spaces', ` ${token} `, 'spaces around'],
  ['with a line break within', `${token.slice(0, 5)}\n${token.slice(5)}`, 'contains spaces'],
  ['before a remark', `${token} (for docs)`, 'other text around the token'],
  ['after a remark with a key in it', `a=b ${token}`, 'other text around the token'],
  ['with a quotation mark within', token.replace('mXq8', 'mX"q8'), 'an extra character after'],
  ['with three slips', token.replace('mXq8', 'nYr8'), 'differs in 3 characters'],
  ['in small letters', token.toLowerCase(), 'Upper and lower case differ'],
  ['which is the name of the record', host, 'is the name of the record'],
  ['which is that name with a final dot', `${host}.`, 'is the name of the record'],
  ['which is that name without the zone', '_platform-challenge.docs', 'is the name of the record'],
  ['which is its label', '_platform-challenge', 'is the name of the record'],
  ['with a slip', token.replace('mXq8', 'mXq9'), 'One character is wrong after “p4V0nJ2mXq”'],
])('a token %s is explained', (_case, seen, hint) => {
  expect(explainTokenNearMiss(seen, token, host)?.hint).toContain(hint);
});

it.each([
  ['v=spf1 -all'],
  [token.replace('mXq8', 'nYr9')],
  ['ffffffffffffffffffffff'],
  [''],
  ['""'],
  ['docs.acme.com'],
  ['_dmarc'],
  ['_platform'],
  ['abc'],
  [token],
])('%j is no near miss', (seen) => {
  expect(explainTokenNearMiss(seen, token, host)).toBeNull();
});
