/** The memory limit of the container; infinite without one, for which Node reports 0 or a huge number. */
export function containerBytes(): number {
  return process.constrainedMemory() || Infinity;
}
