import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { renderWebhookEvents } from '../src/http/webhook-events-page.js';

it('docs/webhook-events.md is what `npm run generate` makes of the code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/webhook-events.md'), 'utf8');
  expect(page).toBe(renderWebhookEvents());
});
