import { Alert } from '@mantine/core';
import { useConnection, useIsOnline } from '../live/connection.js';
import { strings } from '../strings.js';

/** Says that what is shown may be old: there is no network, or the stream of changes is away. */
export function ConnectionBanner() {
  const connection = useConnection();
  const isOnline = useIsOnline();
  const text = bannerText(isOnline, connection === 'lost');
  return (
    <div role="status">
      {text !== null && (
        <Alert color="yellow" variant="light" mb="md">
          {text}
        </Alert>
      )}
    </div>
  );
}

function bannerText(isOnline: boolean, isLost: boolean): string | null {
  if (!isOnline) return strings.connection.offline;
  return isLost ? strings.connection.lost : null;
}
