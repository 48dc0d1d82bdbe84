import { describe, expect, it } from '@jest/globals';
import { HandshakeTurns } from './handshake-turns.js';

const a = '192.0.2.1';
const b = '192.0.2.2';

function setUp() {
  const begun: string[] = [];
  const turns: (() => void)[] = [];
  const open = (name: string, remoteAddress: string, destroyed = false) => ({ name, remoteAddress, destroyed });
  const waiting = new HandshakeTurns<ReturnType<typeof open>>(
    ({ name }) => void begun.push(name),
    (work) => void turns.push(work),
  );
  const nextTurn = () => {
    for (const work of turns.splice(0)) work();
    return begun.splice(0);
  };
  return { begun, open, turns, waiting, nextTurn };
}

describe('HandshakeTurns', () => {
  it('lets whoever comes alone begin at once', () => {
    const { begun, open, waiting } = setUp();
    waiting.take(open('first', a));
    expect(begun).toEqual(['first']);
  });

  it('lets one connection of an address begin in each turn, in the order they came', () => {
    const { open, waiting, nextTurn, begun } = setUp();
    for (const name of ['1', '2', '3']) waiting.take(open(name, a));
    expect(begun.splice(0)).toEqual(['1']);
    expect(nextTurn()).toEqual(['2']);
    expect(nextTurn()).toEqual(['3']);
  });

  it('lets nobody wait for the connections of another address', () => {
    const { open, waiting, begun, nextTurn } = setUp();
    for (const name of ['a1', 'a2', 'a3']) waiting.take(open(name, a));
    waiting.take(open('b1', b));
    expect(begun.splice(0)).toEqual(['a1', 'b1']);
    waiting.take(open('b2', b));
    expect(nextTurn()).toEqual(['a2', 'b2']);
  });

  it('counts the /64 of an IPv6 address as one', () => {
    const { open, waiting, begun } = setUp();
    waiting.take(open('1', '2001:db8::1'));
    waiting.take(open('2', '2001:db8::2'));
    expect(begun).toEqual(['1']);
  });

  it('gives no turn to who has left', () => {
    const { open, waiting, nextTurn, begun } = setUp();
    waiting.take(open('1', a));
    waiting.take(open('gone', a, true));
    waiting.take(open('2', a));
    begun.splice(0);
    expect(nextTurn()).toEqual(['2']);
  });

  it('asks for no more turns once nobody waits, and begins anew afterwards', () => {
    const { open, waiting, nextTurn, turns, begun } = setUp();
    waiting.take(open('1', a));
    nextTurn();
    expect(turns).toHaveLength(0);
    waiting.take(open('2', a));
    expect(begun).toEqual(['2']);
  });
});
