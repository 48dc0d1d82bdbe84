/** Visitors, for `@pets/chaos`. */
export { askOnce, untilForwarded, type Visited } from './ask.js';
export { removeUnderStreams } from './forwarded-streams.js';
export { startVisitor, type Visitor, type VisitorKind, visitorAddress } from './visitors.js';
