import type { Plugin } from 'vite';
import { FIRST_LOAD_LIMIT_BYTES, measureFirstLoad } from './first-load.js';

/** Ends the build when a first visit would load more script than it may. */
export function limitFirstLoad(folder: string): Plugin {
  return {
    name: 'limit-first-load',
    apply: 'build',
    closeBundle: async () => {
      const { files, bytes } = await measureFirstLoad(folder);
      if (files.length === 0) throw new Error('the built page loads no script');
      if (bytes > FIRST_LOAD_LIMIT_BYTES) {
        throw new Error(`a first visit would load ${bytes} bytes of script; the limit is ${FIRST_LOAD_LIMIT_BYTES}`);
      }
    },
  };
}
