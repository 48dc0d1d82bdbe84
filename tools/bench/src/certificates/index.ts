/** A world in which certificates are issued, for whoever wants to break it: `@pets/chaos`. */
export { startCertificateFixture, type CertificateFixture } from './certificate-fixture.js';
