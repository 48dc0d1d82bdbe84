/** Visitors that never give up, for `@pets/chaos`. */
export { startVisitor, type Visitor, type VisitorKind } from './visitors.js';
export { visitorAddress } from './visitor-address.js';
