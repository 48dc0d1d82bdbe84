import { resolve } from 'node:path';
import { readOperationScopes } from './operation-scopes.js';

/** The description of the API, from `npm run openapi`. */
export const descriptionFile = resolve(import.meta.dirname, '../../../docs/openapi.json');

/** Configuration of the build and of the server in development. */
export const commonConfig = {
  root: resolve(import.meta.dirname, '..'),
  base: '/dashboard/',
  // Read the sources of our libraries, so that no other project has to be built first.
  resolve: { conditions: ['@pets/source', 'module', 'browser', 'development|production'] },
  // For `useMay`.
  define: { OPERATION_SCOPES: JSON.stringify(readOperationScopes(descriptionFile)) },
};
