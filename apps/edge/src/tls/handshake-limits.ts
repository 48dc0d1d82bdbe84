/** How long a handshake may take, and the header of a load balancer before it. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;

/** Handshakes of one address that start per tick of the event loop. A handshake takes half a millisecond. */
export const HANDSHAKES_PER_TICK = 1;
