/** Stacks of our built programs, for benchmarks, faults and tests: what they consist of, and what is put on them. */
export { startCaObserver, type CaObserver } from './issuing.js';
export { truthOf } from './dns/known-names.js';
export {
  startEdgeAlone,
  type EdgeAlone,
  type EdgeAloneOptions,
  serveFeedSessions,
  VERSION,
  writeFirstSnapshot,
} from './edge-alone.js';
export { PLATFORM_DOMAIN } from './environments.js';
export { built, run, startProcess, type StackProcess, type Stopped } from './programs.js';
export { seedDomains, verifyDomains, type NamedDomain, type SeededDomain } from './seeded-domains.js';
export { sharedTestStack, type SharedTestStack, startTestStack, type TestStack } from './test-stack.js';
export { LARGE_BYTES, pendingEdges, publishSites, putApplication, removeSite, type Site } from './sites.js';
export { startStack, type Stack, type StackEdge, type Tenant } from './stack.js';
export { absences } from './stores/bucket.js';
export { startRedis } from './servers.js';
export { type SmallDisk } from './stores/small-disk.js';
