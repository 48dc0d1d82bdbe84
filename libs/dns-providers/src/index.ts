export * from './dns-provider.js';
export * from './providers.js';
