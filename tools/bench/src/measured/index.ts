export type { ProgramName } from './machine.js';
export { describeFailure, describeRun, paragraphs, renderRegions, table } from './page.js';
export { describeCommand, recordRun, recordSuite, runRecord, suiteRecord } from './record.js';
export { beSuite, runSuite } from './run-suite.js';
export { readPage, readRecord, writePage, writeRecord } from './record.js';
export { quantile } from '../figure.js';
