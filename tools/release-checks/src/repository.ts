import { resolve } from 'node:path';

/** The folder everything is relative to; the same from `src` and from `dist`. */
export const REPOSITORY = resolve(import.meta.dirname, '../../..');
