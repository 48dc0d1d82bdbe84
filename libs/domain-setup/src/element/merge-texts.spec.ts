import { expect, it } from '@jest/globals';
import { setupTexts } from '../texts.js';
import { mergeTexts } from './merge-texts.js';

it('replaces texts at any depth, and keeps the others', () => {
  const texts = mergeTexts({ visit: 'Öffnen', zone: { actions: { add: 'Anlegen' } } });
  expect([texts.visit, texts.zone.actions.add, texts.zone.actions.keep]).toEqual(['Öffnen', 'Anlegen', 'Keep']);
});

it.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'x'],
  ['another type', { visit: 7, next: { live: 'x' }, steps: 'x', zone: { actions: null } }],
  ['an unknown text', { other: 'x' }],
])('ignores %s', (_case, replacement) => {
  const texts = mergeTexts(replacement);
  expect(texts.visit).toBe(setupTexts.visit);
  expect(texts.next.live('a.example')).toBe('a.example is live');
  expect(texts.zone.actions).toEqual(setupTexts.zone.actions);
});

it('a function that throws, or returns no text, is not used', () => {
  const failing = () => {
    throw new Error('hostile');
  };
  const texts = mergeTexts({ next: { live: failing, suspended: () => 7 } });
  expect(texts.next.live('a.example')).toBe('a.example is live');
  expect(texts.next.suspended('a.example')).toBe('a.example is suspended');
});
