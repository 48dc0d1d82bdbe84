export type { ProgramName } from './machine.js';
export { renderPage, table } from './page.js';
export { describeCommand, recordRun, runRecord } from './record.js';
export { beSuite, runSuite } from './run-suite.js';
export { readPage, readRecords, writePage, writeRecord } from './store.js';
export { quantile } from '../figure.js';
