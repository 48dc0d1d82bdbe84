/** Sites on several edges and visitors who never give up, for whoever wants to break them: `@pets/chaos`. */
export { startSiteFixture, type EdgePlace, type Site, type SiteFixture } from './site-fixture.js';
export { startVisitor, type Visitor, type VisitorKind } from './visitors.js';
