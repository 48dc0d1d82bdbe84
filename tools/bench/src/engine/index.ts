/** The engine as a whole, for whoever wants to try it: `@pets/chaos` breaks what `@pets/bench` measures. */
export { processTree } from './processes.js';
export { truthOf } from './known-dns.js';
export { built, isReady, run, startRedis, untilReady, type Program } from './programs.js';
export { seedDomains, type NamedDomain, type SeededDomain } from './seeded-domains.js';
export { startEngineFixture, type EngineFixture } from './engine-fixture.js';
