import { resolve } from 'node:path';

/** The root of the repository, from `src/processes` and `dist/processes` alike. */
export const repositoryRoot = resolve(import.meta.dirname, '../../../..');
