import { useEffect } from 'react';
import { useOnDemand } from './on-demand.js';
import type { DialogProps } from './opened-dialog.js';

const loadDialog = () => import('./opened-dialog.js');

/** A dialog, whose script loads when it is first opened. */
export function Dialog(props: DialogProps) {
  const { opened, onClose } = props;
  const [OpenedDialog, load] = useOnDemand(loadDialog, onClose);
  useEffect(() => {
    if (opened) load();
  }, [opened]);
  return OpenedDialog === null ? null : <OpenedDialog {...props} />;
}
