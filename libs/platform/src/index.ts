export * from './config.js';
export * from './domain-error.js';
export * from './file-storage.js';
export * from './health-server.js';
export * from './logger.js';
export * from './nest-log.js';
export * from './sealing.js';
export * from './shutdown.js';
