import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseCoding, type DashboardFile } from './dashboard-files.js';

/**
 * Everything is loaded from this origin, without inline scripts or styles. `require-trusted-types-for` makes the
 * browser reject strings as markup, whatever an animal is called.
 */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-cache',
} as const;

/** Answers with a file in the coding that the client prefers. */
export function sendFile(
  file: DashboardFile,
  headers: Readonly<Record<string, string>>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Buffer {
  const coding = chooseCoding(file, request.headers['accept-encoding']);
  reply.type(file.contentType).headers(headers).header('vary', 'accept-encoding');
  if (coding !== null) reply.header('content-encoding', coding);
  return (coding !== null && file.encoded[coding]) || file.plain;
}
