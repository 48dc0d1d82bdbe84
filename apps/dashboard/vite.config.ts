import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { compressAssets } from './build/compress-assets.js';
import { limitFirstLoad } from './build/first-load.js';
import { reduceVariables } from './build/reduce-variables.js';
import { renderReference } from './build/render-reference.js';

const API_URL = 'http://127.0.0.1:3000';
const dist = resolve(import.meta.dirname, 'dist');
const description = resolve(import.meta.dirname, '../../docs/openapi.json');

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // Read the sources of our libraries, so that no other project has to be built first.
  resolve: { conditions: ['@pets/source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files are data: URLs, which the content security policy forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'reference.html'].map((page) => resolve(import.meta.dirname, page)),
      // "use client" concerns server rendering only.
      checks: { moduleLevelDirective: false },
      // Importing an enum must not include the schemas beside it: modules of contracts have no side effects.
      treeshake: { moduleSideEffects: [{ test: /\/libs\/contracts\//, sideEffects: false }] },
    },
  },
  plugins: [renderReference(description), reduceVariables(), compressAssets(dist), limitFirstLoad(dist)],
  // For `npx vite` beside a running `npm start`, which takes a session's cookie from its own origin only.
  server: {
    proxy: {
      '^/(?:v1|dashboard/(?:session|sign-in))\\b': { target: API_URL, headers: { origin: API_URL } },
    },
  },
});
