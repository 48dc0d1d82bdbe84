/** `npm run diagnoses`: writes the pages of docs/ that are made of contracts and decisions. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import { pages } from './pages.js';

for (const [path, render] of Object.entries(pages)) await writeFile(join(REPOSITORY, path), render());
