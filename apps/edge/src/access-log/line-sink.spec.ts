import { expect, it } from '@jest/globals';
import { batched } from './line-sink.js';

const line = `${'x'.repeat(99)}\n`;

it('hands on several lines at once, in their order, and never more than another process could interrupt', () => {
  const written: string[] = [];
  const sink = batched((lines) => written.push(lines));
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index} é ${line}`);
  for (const each of lines) sink.write(each);
  sink.flush();
  expect(written.length).toBeLessThan(lines.length / 30);
  expect(written.join('')).toBe(lines.join(''));
  expect(Math.max(...written.map((batch) => Buffer.byteLength(batch)))).toBeLessThanOrEqual(4_096);
  expect(written.every((batch) => batch.endsWith('\n'))).toBe(true);
});

it('lets no line wait for long', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const keptAlive = setTimeout(() => resolve('nothing came'), 5_000); // the sink itself keeps no process alive
  batched(resolve).write(line);
  expect(await promise).toBe(line);
  clearTimeout(keptAlive);
});

it('writes nothing when there is nothing', () => {
  const written: string[] = [];
  const sink = batched((lines) => written.push(lines));
  sink.flush();
  sink.write(line);
  sink.flush();
  sink.flush();
  expect(written).toEqual([line]);
});
