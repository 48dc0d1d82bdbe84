/**
 * An address within this machine for one visitor, out of 127.0.0.0/8: those who are measured are many people, and what one
 * address may have is limited.
 */
export function visitorAddress(): string {
  const part = () => 1 + Math.floor(Math.random() * 254);
  return `127.${part()}.${part()}.${part()}`;
}
