import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { commonConfig, descriptionFile } from './build/common-config.js';
import { compressAssets } from './build/compress-assets.js';
import { limitFirstLoad } from './build/first-load.js';
import { reduceVariables } from './build/reduce-variables.js';
import { renderReference } from './build/render-reference.js';

const dist = resolve(import.meta.dirname, 'dist');

const scripts = /\.(?:m?js|tsx?)$/;

/** Menus and dialogs load when one is opened, and what only the pages of webhooks share loads with these. */
const onDemand =
  /@floating-ui\/|react-remove-scroll|use-sidecar|@mantine\/core\/esm\/(?:components\/(?:Menu|Modal\w*|Popover|ScrollArea)|utils\/Floating)\/|\/src\/webhooks\//;

/** Modules that the page of a set-up link shares with pages of the dashboard. */
const setup = /\/libs\/(?:domain-setup|dns-providers)\/|\/libs\/contracts\/src\/display-name/;

export default defineConfig({
  ...commonConfig,
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files are data: URLs, which the content security policy forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'reference.html', 'setup.html'].map((page) => resolve(import.meta.dirname, page)),
      // What pages share is one file: a browser requests six at once from an HTTP/1.1 server, and each takes a round trip.
      output: {
        codeSplitting: {
          groups: [
            // The page of a set-up link loads nothing else of the dashboard.
            { name: 'format', test: /\/libs\/domain-setup\/src\/format\.ts$/ },
            // Lists show a status alone.
            {
              name: 'domain-status',
              test: /\/libs\/(?:domain-setup\/src\/(?:status|texts)|contracts\/src\/display-name)\.ts$/,
            },
            { name: 'domain-setup', minShareCount: 2, test: setup },
            {
              name: 'shared',
              minShareCount: 2,
              test: (id) => scripts.test(id) && !onDemand.test(id) && !setup.test(id),
            },
          ],
        },
      },
      // "use client" concerns server rendering only.
      checks: { moduleLevelDirective: false },
      // Importing an enum must not include the schemas beside it: modules of contracts have no side effects.
      treeshake: {
        moduleSideEffects: [{ test: /\/libs\/(?:contracts|domain-setup|dns-providers)\//, sideEffects: false }],
      },
    },
  },
  plugins: [renderReference(descriptionFile), reduceVariables(), compressAssets(dist), limitFirstLoad(dist)],
});
