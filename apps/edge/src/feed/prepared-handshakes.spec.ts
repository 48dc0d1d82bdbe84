import { describe, expect, it } from '@jest/globals';
import { PreparedHandshakes } from './prepared-handshakes.js';

describe('handshakes for prepared hosts', () => {
  let now = 0;
  const started = () => {
    now = 0;
    return new PreparedHandshakes(() => now);
  };

  it('are reported every ten seconds for each host', () => {
    const handshakes = started();
    expect(['a.example', 'a.example', 'b.example'].map((host) => handshakes.addHost(host))).toEqual([
      true,
      false,
      true,
    ]);
    expect(handshakes.take()).toEqual(['a.example', 'b.example']);
    expect(handshakes.take()).toEqual([]);
    now = 9_999;
    expect(handshakes.addHost('a.example')).toBe(false);
    now = 10_000;
    expect(handshakes.addHost('a.example')).toBe(true);
    expect(handshakes.take()).toEqual(['a.example']);
  });

  it('fill no report beyond its limit', () => {
    const handshakes = started();
    for (let count = 0; count < 150; count += 1) handshakes.addHost(`${count}.example`);
    expect([handshakes.take().length, handshakes.take().length]).toEqual([100, 50]);
  });

  it('are remembered for a limited number of hosts', () => {
    const handshakes = started();
    for (let count = 0; count <= 10_000; count += 1) handshakes.addHost(`${count}.example`);
    expect([handshakes.addHost('0.example'), handshakes.addHost('10000.example')]).toEqual([true, false]);
  });
});
