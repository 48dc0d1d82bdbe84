/** The fixture of issuance, for `@pets/chaos`. */
export { startCertificateFixture, type CertificateFixture } from './certificate-fixture.js';
