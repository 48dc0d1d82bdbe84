/** The engine as a whole, for whoever wants to try it: `@pets/chaos` breaks what `@pets/bench` measures. */
export { processTree } from './cpu.js';
export { truthOf } from './known-dns.js';
export { built, isReady, run, startRedis, untilReady, type Program } from './programs.js';
export { seedDomains, type NamedDomain, type SeededDomain } from './seed.js';
export { startEngineFixture, type EngineFixture } from './engine-fixture.js';
