/** Writes pages of docs/ from the code: run by `npm run diagnoses`, after a build. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderWebhookEvents } from '../libs/contracts/dist/http/webhook-events-page.js';
import { renderDiagnoses } from '../libs/domains/dist/issues/diagnoses-page.js';
import { renderReservedNames } from '../libs/domains/dist/reserved-names-page.js';

writeFileSync(join(import.meta.dirname, '../docs/diagnoses.md'), renderDiagnoses());
writeFileSync(join(import.meta.dirname, '../docs/reserved-names.md'), renderReservedNames());
writeFileSync(join(import.meta.dirname, '../docs/webhook-events.md'), renderWebhookEvents());
