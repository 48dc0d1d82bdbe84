import { describe, expect, it } from '@jest/globals';
import { EventStreamParser } from './event-stream.js';

const message = (data: string, lastEventId = '', type = 'message') => ({ type, data, lastEventId });

/** The examples of the standard and what it says of odd streams (WHATWG HTML §9.2.6). */
const streams = [
  ['data of several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
  ['a comment', ': test stream\n\ndata: first\nid: 1\n\n', [message('first', '1')]],
  ['an id that is taken back', 'data: a\nid: 1\n\ndata: b\nid\n\n', [message('a', '1'), message('b')]],
  ['one space after the colon only', 'data:  third\n\ndata:x\n\n', [message(' third'), message('x')]],
  ['empty data', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')]],
  ['a type without data', 'event: x\n\ndata: y\n\n', [message('y')]],
  ['a type', 'event: add\ndata: 73857293\n\n', [message('73857293', '', 'add')]],
  ['an id for later events too', 'id: 7\ndata: a\n\ndata: b\n\n', [message('a', '7'), message('b', '7')]],
  ['an id with NUL', 'id: 7\nid: a\0b\ndata: a\n\n', [message('a', '7')]],
  ['unknown fields', 'foo: bar\ndata: a\nDATA: b\n\n', [message('a')]],
  ['lines that end with CR LF', 'data: a\r\nid: 1\r\n\r\n', [message('a', '1')]],
  ['lines that end with CR', 'data: a\rid: 1\r\rdata: b\r\r: end\n', [message('a', '1'), message('b', '1')]],
  ['an end in the middle of an event', 'data: a\n\ndata: b\n', [message('a')]],
  ['no end of the last line', 'data: a\n\ndata: b', [message('a')]],
] as const;

describe('EventStreamParser', () => {
  it.each(streams)('parses a stream with %s', (_name, text, expected) => {
    expect(new EventStreamParser().push(text)).toEqual(expected);
  });

  it.each(streams)('parses a stream with %s that comes character by character', (_name, text, expected) => {
    const parser = new EventStreamParser();
    expect([...text].flatMap((character) => parser.push(character))).toEqual(expected);
  });

  it('has no reconnection time until the stream names one', () => {
    expect(new EventStreamParser().retryMs).toBeNull();
  });

  it('ignores a reconnection time that is not all digits', () => {
    const parser = new EventStreamParser();
    parser.push('retry: 250\n');
    parser.push('retry: 1e9\nretry: -1\nretry:\n');
    expect(parser.retryMs).toBe(250);
  });

  it('starts with the last event id of its reader', () => {
    expect(new EventStreamParser('41').push('data: a\n\n')).toEqual([message('a', '41')]);
  });

  it.each([
    ['line', 'x'.repeat(1_000)],
    ['event of many lines', 'data: '.padEnd(1_000, 'x') + '\n'],
    ['event of many empty lines', 'data\n'.repeat(1_000)],
  ])('refuses an endless %s', (_name, part) => {
    const parser = new EventStreamParser();
    const pushAll = () => {
      for (let count = 0; count < 5_000; count += 1) parser.push(part);
    };
    expect(pushAll).toThrow('max buffer size');
  });
});
