export {
  type ProgramName,
  describeCommand,
  recordRun,
  recordSuite,
  runRecord,
  suiteRecord,
  readPage,
  readRecord,
  writePage,
  writeRecord,
} from './record.js';
export { describeFailure, describeRun, paragraphs, renderRegions, table } from './page.js';
export { beSuite, runSuite } from './run-suite.js';
export { quantile } from '../figure.js';
