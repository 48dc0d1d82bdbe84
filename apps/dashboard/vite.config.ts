import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { compressAssets } from './build/compress-assets.js';
import { limitFirstLoad } from './build/limit-first-load.js';

const dist = resolve(import.meta.dirname, 'dist');

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // The sources of our libraries: the dashboard needs no other project to be built first.
  resolve: { conditions: ['@pets/source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'es2023',
    // An inlined file would be a data: URL, which the page's policy forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" is for servers that render: here everything runs in the browser.
      checks: { moduleLevelDirective: false },
      // Whole schemas would come along with a closed set: a library of constants does nothing by being loaded.
      treeshake: { moduleSideEffects: [{ test: /\/libs\/contracts\//, sideEffects: false }] },
    },
  },
  plugins: [compressAssets(dist), limitFirstLoad(dist)],
  // `npx vite` serves the sources beside a running `npm start`.
  server: { proxy: { '/v1': 'http://127.0.0.1:3000' } },
});
