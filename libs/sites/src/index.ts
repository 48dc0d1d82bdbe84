export { chooseFreshness, freshnessOfName } from './freshness.js';
export { encodeSiteIndex, findInPage, findPage, hashPath, pageInHead } from './index-encoding.js';
export type { Freshness, SiteEntry, SiteIndex, SiteIndexHead } from './index-encoding.js';
export * from './choose-file.js';
export * from './manifest.js';
export * from './requested-path.js';
export * from './signed-links.js';
export * from './stored-sites.js';
export { ruleLimits } from './rules/rule-lines.js';
export {
  compileRules,
  HEADERS_FILE,
  REDIRECTS_FILE,
  ruleFiles,
  SiteRules,
  type RuleProblem,
} from './rules/site-rules.js';
