/** Writes docs/diagnoses.md from the code: run by `npm run diagnoses`, after a build. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderDiagnoses } from '../libs/domains/dist/diagnoses-page.js';

writeFileSync(join(import.meta.dirname, '../docs/diagnoses.md'), renderDiagnoses());
