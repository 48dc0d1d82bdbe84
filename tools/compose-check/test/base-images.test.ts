import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

/** A tag leads to whatever its owner put there last; a digest to what was tried. */

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pinned = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

it('every stage of the Dockerfile begins with a pinned image, or with another stage', () => {
  const text = read('Dockerfile');
  const args = new Map([...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]));
  const stages = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, from = '', name = '']) => ({ from, name }));
  expect(stages.length).toBeGreaterThan(3);
  const names = stages.map(({ name }) => name);
  const bases = stages.map(({ from }) => args.get(/^\$\{(\w+)\}$/.exec(from)?.[1] ?? '') ?? from);
  expect(bases.filter((base) => !names.includes(base) && !pinned.test(base))).toEqual([]);
  // A front end is an image that is pulled too.
  expect(text).not.toMatch(/^# *syntax=/m);
});

it('every image in docker-compose.yml is our own or pinned', () => {
  const images = [...read('docker-compose.yml').matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image);
  const foreign = images
    .filter((image) => !image.startsWith('${IMAGES:-pets}/'))
    .map((image) => /^\$\{\w+:-(\S+)\}$/.exec(image)?.[1] ?? image);
  expect(foreign.length).toBeGreaterThan(0);
  expect(foreign.filter((image) => !pinned.test(image))).toEqual([]);
});
