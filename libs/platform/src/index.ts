export { AddressError, CheckedAddresses } from './checked-addresses.js';
export * from './config.js';
export * from './request-error.js';
export { readUntilAborted, readWhole, type ByteSpan, type FileStorage } from './file-storage.js';
export * from './open-file-storage.js';
export { certificateObjectKey, readStoredCertificate, writeStoredCertificate } from './stored-certificates.js';
export * from './metrics.js';
export * from './cached-query.js';
export * from './logger.js';
export { http } from './node-http.js';
export { addressGroup, Networks } from './networks.js';
export { requestChallenge } from './request-challenge.js';
export * from './sealing.js';
export * from './shutdown.js';
export {
  currentTraceParent,
  formatTraceParent,
  parseTraceParent,
  startSpan,
  type StartedSpan,
} from './tracing/spans.js';
export type { Tracing } from './tracing/provider.js';
export { startTracing } from './tracing/start-tracing.js';
