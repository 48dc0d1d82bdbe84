/** Sites on several edges and visitors that never give up, for `@pets/chaos`. */
export { serveFeedSessions } from './feed-fixture.js';
export { startSiteFixture, type Site } from './site-fixture.js';
export { startVisitor, type Visitor, type VisitorKind } from './visitors.js';
export { visitorAddress } from './visitor-address.js';
