import { describe, expect, it } from '@jest/globals';
import { answerFields, trailerFields } from './answer-fields.js';

const context = { platformDomain: 'pets.test', hasHsts: false };

describe('the fields of an answer', () => {
  it('keep their order, and the values of a name', () => {
    const received = ['X-B', '1', 'Set-Cookie', 'a=1', 'x-a', '2', 'Set-Cookie', 'b=2', 'Content-Length', '3'];
    expect(answerFields(received, context)).toEqual(
      received.map((part, at) => (at % 2 === 0 ? part.toLowerCase() : part)),
    );
  });

  it.each(['Connection', 'Keep-Alive', 'HTTP2-Settings', 'Upgrade', 'Trailer', 'Alt-Svc', 'Proxy-Authenticate'])(
    'never have %s',
    (name) => expect(answerFields([name, 'x'], context)).toEqual([]),
  );

  it('lose the transfer coding that the edge knows', () => {
    expect(answerFields(['Transfer-Encoding', 'Chunked'], context)).toEqual([]);
    for (const coding of ['gzip, chunked', 'identity', ''])
      expect(() => answerFields(['Transfer-Encoding', coding], context)).toThrow('transfer coding');
    expect(() => answerFields(['Transfer-Encoding', 'chunked', 'transfer-encoding', 'chunked'], context)).toThrow();
  });

  it('are at most 1 000', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => [`x-${at}`, '']).flat();
    expect(answerFields(fields(1_000), context)).toHaveLength(2_000);
    expect(() => answerFields(fields(1_001), context)).toThrow('1000 fields');
  });

  it('have no field that the application declares as one of its connection', () => {
    expect(answerFields(['Connection', 'X-A', 'X-A', '1', 'X-B', '2'], context)).toEqual(['x-b', '2']);
  });

  it('have the Strict-Transport-Security of the application unless the project sets one', () => {
    const received = ['Strict-Transport-Security', 'max-age=1'];
    expect(answerFields(received, context)).toHaveLength(2);
    expect(answerFields(received, { ...context, hasHsts: true })).toEqual([]);
  });

  it.each([
    ['a=1; Domain=pets.test', true],
    ['a=1; path=/; DOMAIN = .Pets.Test ', true],
    ['a=1; domain=test', true],
    ['a=1; Domain=x.test; Domain=pets.test', true],
    ['a=1; Domain=app.pets.test', false],
    ['a=1; Domain=shop.example', false],
    ['Domain=pets.test', false],
    ['a="; Domain=pets.test"', true], // no plain name, however browsers read it
    ['a=1; Domain=pets.test; Domain=app.pets.test', true],
    ['a=1; Domain=p%65ts.test', true],
    ['a=1; Domain=', false],
  ])('lose a cookie for names of others: %s, %s', (cookie, isLost) => {
    expect(answerFields(['Set-Cookie', cookie], context)).toHaveLength(isLost ? 0 : 2);
  });

  it.each([
    ['a name that is no token', ['a b', 'c']],
    ['a line break in a value', ['a', 'b\r\nc: d']],
    ['a NUL', ['a', 'b\0']],
  ])('must be valid HTTP: %s', (_name, received) => {
    expect(() => answerFields(received, context)).toThrow('not valid HTTP');
  });
});

it('trailers say nothing that had to be known before the body', () => {
  const received = ['X-Sum', '1', 'Content-Length', '5', 'Set-Cookie', 'a=1', 'Location', '/', 'Connection', 'close'];
  expect(trailerFields(received, context)).toEqual(['x-sum', '1']);
});
