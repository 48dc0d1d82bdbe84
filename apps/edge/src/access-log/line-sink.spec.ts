import { expect, it } from '@jest/globals';
import { batched } from './line-sink.js';

const line = `${'x'.repeat(99)}\n`;

const bytesOf = (batch: string) => Buffer.byteLength(batch);

it.each([
  ['ASCII', line, 35],
  ['other characters', `é ${line}`, 1],
  ['characters of two bytes', `${'é'.repeat(500)}\n`, 1],
])('hands on lines in their order, and never more than another process could interrupt: %s', (_name, text, atOnce) => {
  const written: string[] = [];
  const sink = batched((lines) => written.push(lines));
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index} ${text}`);
  for (const each of lines) sink.write(each);
  sink.flush();
  expect(written.length).toBeLessThanOrEqual(lines.length / atOnce);
  expect(written.join('')).toBe(lines.join(''));
  expect(Math.max(...written.map(bytesOf))).toBeLessThanOrEqual(4_096);
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
