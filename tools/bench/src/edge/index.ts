/** Visitors that never give up, for `@pets/chaos`. */
export { startVisitor, type Visitor, type VisitorKind, visitorAddress } from './visitors.js';
