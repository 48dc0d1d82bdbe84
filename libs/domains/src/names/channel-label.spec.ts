import { expect, it } from '@jest/globals';
import { channelLabel } from './channel-label.js';

it('the label of a channel is its name and the slug, which no other channel and slug have', () => {
  expect(channelLabel('pr-12', 'acme-docs')).toBe('pr-12--acme-docs');
});
