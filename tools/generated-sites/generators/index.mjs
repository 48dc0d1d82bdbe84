import { docusaurus } from './docusaurus.mjs';
import { hugo } from './hugo.mjs';
import { mkdocs } from './mkdocs.mjs';
import { next } from './next.mjs';
import { sphinx } from './sphinx.mjs';
import { vite } from './vite.mjs';

/**
 * How a site is built, from files that are written into an empty folder.
 * @typedef {object} Generator
 * @property {string} [program] of Debian, which `npm run interop` gets
 * @property {Record<string, string>} [packages] of npm, installed into the folder
 * @property {Record<string, string>} [previewPackages] more of them, for the preview
 * @property {readonly string[]} version prints the version
 * @property {readonly string[]} command builds the site
 * @property {string} output where the site is then
 * @property {Record<string, string>} [copies] files to add to the site, and what they are copies of
 * @property {(port: number) => string[]} preview starts the generator's own preview of the site
 * @property {Record<string, string | Buffer>} files
 */

/** @type {Record<string, Generator>} */
export const generators = { mkdocs, sphinx, hugo, docusaurus, next, vite };
