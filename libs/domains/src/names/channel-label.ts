/** DNS limits a label to 63 characters (RFC 1035 §2.3.4). */
export const MAX_LABEL_LENGTH = 63;

/** The label of a channel below the platform domain. No slug and no channel has `--`, so each label is of one channel. */
export function channelLabel(channel: string, slug: string): string {
  return `${channel}--${slug}`;
}
