/** One test file from the root of the repository, in the way of its project: `npx jest libs/domains/src/issues/issue-catalog.spec.ts`. */
export { default } from './tools/jest-pool.config.mjs';
