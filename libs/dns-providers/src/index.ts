export * from './dns-provider.js';
export * from './provider-form.js';
export * from './providers.js';
