import type { ModalProps } from '@mantine/core';
import { useEffect, type RefObject } from 'react';
import { useOnDemand } from './on-demand.js';

export interface DialogProps extends ModalProps {
  /** Only the content closes the dialog. */
  readonly isLocked?: boolean;
  /** Gets the focus back, where the dialog was opened from a menu that has disappeared. */
  readonly opener?: RefObject<HTMLElement | null>;
}

const loadDialog = () => import('./opened-dialog.js');

/** A dialog, whose script loads when it is first opened. */
export function Dialog(props: DialogProps) {
  const { opened, onClose } = props;
  const [OpenedDialog, load] = useOnDemand(loadDialog, onClose);
  useEffect(() => {
    if (opened) load();
    // `load` begins the same for each rendering.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [opened]);
  return OpenedDialog === null ? null : <OpenedDialog {...props} />;
}
