/** For `@pets/chaos`, which breaks what is measured here. */
export { processTree } from './processes.js';
