/** Sites on several edges and visitors who never give up, for whoever wants to break them: `@pets/chaos`. */
export { startSiteWorld, type EdgePlace, type Site, type SiteWorld } from './site-world.js';
export { startVisitor, type Visitor, type VisitorKind } from './visitors.js';
