import { describe, expect, it } from '@jest/globals';
import { lineSink, readableLine } from './supervisor.js';

const now = new Date(2026, 10, 3, 12, 14, 55);
const json = (fields: object) => JSON.stringify({ level: 30, time: now.toISOString(), app: 'pets-api', ...fields });
const readable = (line: string) => readableLine('pets-api', line, { now, colours: false });

const access = {
  method: 'GET',
  route: '/v1/pets',
  status: 200,
  address: '127.0.0.1',
  completed: true,
  ms: 11.3,
  requestId: 'r1',
  msg: 'request',
};

describe('a line on a terminal', () => {
  it.each([
    ['a request', json(access), '12:14:55 pets-api GET /v1/pets 200 11 ms'],
    [
      'a request that ended early',
      json({ ...access, completed: false }),
      '12:14:55 pets-api GET /v1/pets 200 11 ms (client left)',
    ],
    [
      'bytes that are no request',
      json({ ...access, method: null, route: null, status: 400, ms: null }),
      '12:14:55 pets-api ? (no route) 400',
    ],
    [
      'a warning with fields',
      json({ level: 40, msg: 'lookup failed', host: 'a.example', tries: 2 }),
      '12:14:55 pets-api WARN lookup failed host=a.example tries=2',
    ],
    [
      'an error',
      json({ level: 50, msg: 'stop failed', err: { message: 'no', stack: 'Error: no\nat x.ts:1' } }),
      '12:14:55 pets-api ERROR stop failed\n    Error: no\n    at x.ts:1',
    ],
    [
      'a warning with an error',
      json({ level: 40, msg: 'feed failed', err: { message: 'refused', stack: 'Error: refused\nat x.ts:1' } }),
      '12:14:55 pets-api WARN feed failed: refused',
    ],
    ['a text', 'up', '12:14:55 pets-api up'],
    ['a text like JSON', '{ up', '12:14:55 pets-api { up'],
    ['JSON of another program', '{"a":1}', '12:14:55 pets-api {"a":1}'],
  ])('%s', (_name, line, expected) => expect(readable(line)).toBe(expected));

  it('has a colour for each service', () => {
    const of = (name: string) => readableLine(name, 'up', { now, colours: true });
    expect(of('edge')).not.toBe(of('pets-api').replace('pets-api', 'edge'));
  });
});

it('leaves out successful checks of health on a terminal', () => {
  const lines: string[] = [];
  const sink = lineSink((line) => lines.push(line), true);
  sink('pets-api', json({ ...access, route: '/readyz' }));
  sink('pets-api', json({ ...access, route: '/readyz', status: 503 }));
  expect(lines).toEqual([expect.stringContaining('503')]);
});

it('leaves the JSON of services as it is where no terminal reads it', () => {
  const lines: string[] = [];
  const sink = lineSink((line) => lines.push(line), false);
  sink('pets-api', json(access));
  sink('postgres', 'ready');
  expect(lines).toEqual([json(access), '[postgres] ready']);
});
