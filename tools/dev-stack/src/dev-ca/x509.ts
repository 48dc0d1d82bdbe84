/** The one way to the certificate library here: it refuses to load before the reflection polyfill. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export { x509 };
