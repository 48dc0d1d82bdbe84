import { describe, expect, it } from '@jest/globals';
import { closeFrame, FrameBoundary } from './frame-boundary.js';

const frame = (head: readonly number[], payload: number) => Buffer.concat([Buffer.from(head), Buffer.alloc(payload)]);

describe('the frames of a WebSocket', () => {
  it.each([
    ['empty', frame([0x89, 0x00], 0)],
    ['short', frame([0x81, 0x05], 5)],
    ['with a mask', frame([0x81, 0x85, 1, 2, 3, 4], 5)],
    ['of 16 bits', frame([0x82, 126, 0x01, 0x00], 256)],
    ['of 64 bits', frame([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], 65_536)],
    ['a close frame', closeFrame(1013)],
  ])('end where their heads say, however they are cut: %s', (_name, bytes) => {
    for (const size of [1, 3, bytes.length]) {
      const frames = new FrameBoundary();
      expect(frames.isBetweenFrames).toBe(true);
      for (let at = 0; at < bytes.length; at += size) {
        frames.follow(bytes.subarray(at, at + size));
        expect(frames.isBetweenFrames).toBe(at + size >= bytes.length);
      }
    }
  });

  it('may come several at a time', () => {
    const frames = new FrameBoundary();
    frames.follow(Buffer.concat([frame([0x81, 0x01], 1), frame([0x81, 0x02], 2), Buffer.from([0x81])]));
    expect(frames.isBetweenFrames).toBe(false);
  });
});

it('a close frame has its code', () => {
  expect([...closeFrame(1013)]).toEqual([0x88, 0x02, 0x03, 0xf5]);
});
