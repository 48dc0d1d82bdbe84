export { changedSettings } from './changed-settings.js';
export type { ProgramName } from './circumstances.js';
export { describeRun } from './describe-run.js';
export { code, codeBlock, fillRegions, regionsOf, table } from './markdown.js';
export { runRecord } from './record.js';
export { describeCommand, recordRun } from './record-run.js';
export { beSuite, runSuite } from './run-suite.js';
export { readPage, readRecords, writePage, writeRecord } from './store.js';
export { quantile } from '../figure.js';
